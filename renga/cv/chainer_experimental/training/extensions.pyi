# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_cv.extensions.make_shift import make_shift as make_shift

__all__ = [
    "make_shift",
]
