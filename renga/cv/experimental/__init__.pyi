# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.experimental import links as links

__all__ = [
    "links",
]
