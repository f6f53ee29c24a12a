"""Data sets of images, with the names and colors of their classes."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
