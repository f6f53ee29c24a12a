"""Evaluation: average precision of boxes and masks, intersection over union of classes."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
