# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.chainer_experimental.datasets import sliceable as sliceable

__all__ = [
    "sliceable",
]
