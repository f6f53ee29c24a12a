"""Convolution, batch normalization and activation as one link."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
