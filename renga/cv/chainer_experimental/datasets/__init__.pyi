# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.chainer_experimental.datasets import sliceable as sliceable

__all__ = [
    "sliceable",
]
