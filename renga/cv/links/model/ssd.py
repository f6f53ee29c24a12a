"""Detection in one stage at several sizes (SSD)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
