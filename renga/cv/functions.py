"""Position-sensitive pooling of regions of interest."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
