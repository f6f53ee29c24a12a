"""Convolutions with what usually follows them, as one link."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
