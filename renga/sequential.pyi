# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_core.link import Sequential as Sequential

__all__ = [
    "Sequential",
]
