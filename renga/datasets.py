"""Data sets of `renga_data.datasets` and of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
