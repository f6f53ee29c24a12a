"""Data sets of pictures, with the names and colours of their classes."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
