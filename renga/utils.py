"""Small helpers as in Chainer's `utils`: sparse matrices, sizes of convolutions, sampling from probabilities."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
