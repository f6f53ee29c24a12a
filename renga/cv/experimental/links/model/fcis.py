"""Instance segmentation by position-sensitive maps of inside and outside (FCIS)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
