"""Colors that are easy to distinguish."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
