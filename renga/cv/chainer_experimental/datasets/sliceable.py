"""Data sets that can be sliced by examples and by keys: `dataset.slice[:10, 'img']`."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
