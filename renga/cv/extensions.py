"""Trainer extensions that evaluate detection and segmentation, and draw detected boxes."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
