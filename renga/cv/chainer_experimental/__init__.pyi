# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.chainer_experimental import datasets as datasets
from renga.cv.chainer_experimental import training as training

__all__ = [
    "datasets",
    "training",
]
