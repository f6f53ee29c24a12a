"""Semantic segmentation with dilated convolutions and a decoder (DeepLab v3+)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
