"""Semantic segmentation with pyramid pooling (PSPNet)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
