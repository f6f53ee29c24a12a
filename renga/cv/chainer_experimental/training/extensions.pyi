# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.extensions.make_shift import make_shift as make_shift

__all__ = [
    "make_shift",
]
