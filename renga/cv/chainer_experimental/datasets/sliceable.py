"""Data sets of which examples and parts of examples can be chosen: `dataset.slice[:10, 'img']`."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
