"""Transforms that change images together with their boxes, masks and points."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
