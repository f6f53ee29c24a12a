"""Semantic segmentation by an encoder and a decoder (SegNet)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
