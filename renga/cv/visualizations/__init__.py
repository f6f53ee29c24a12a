"""Pictures with boxes, points and masks drawn into them, by Matplotlib."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="colormap")
