"""Data sets that can be sliced."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="sliceable")
