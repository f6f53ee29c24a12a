# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.chainer_experimental import datasets as datasets
from renga.cv.chainer_experimental import training as training

__all__ = [
    "datasets",
    "training",
]
