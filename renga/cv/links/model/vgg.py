"""VGG with 16 layers."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
