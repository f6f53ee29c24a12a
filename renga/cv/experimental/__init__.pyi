# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.experimental import links as links

__all__ = [
    "links",
]
