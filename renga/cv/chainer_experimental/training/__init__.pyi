# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.chainer_experimental.training import extensions as extensions

__all__ = [
    "extensions",
]
