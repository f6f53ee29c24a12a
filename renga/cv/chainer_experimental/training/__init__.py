"""A learning-rate schedule."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="extensions")
