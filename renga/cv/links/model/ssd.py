"""Detection in one stage on feature maps of several sizes (SSD)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
