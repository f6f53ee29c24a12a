"""Instance segmentation with position-sensitive inside and outside score maps (FCIS)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
