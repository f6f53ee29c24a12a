"""Iterators of `renga_data.iterators` and of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
