# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.utils import testing as testing

__all__ = [
    "testing",
]
