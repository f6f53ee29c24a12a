"""Small things: Chainer's `utils`; sparse matrices, sizes of convolutions, drawing from a table of probabilities."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
