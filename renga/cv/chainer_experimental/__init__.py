"""ChainerCV's module of this name: data sets that can be sliced, and a learning-rate schedule."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="datasets training")
