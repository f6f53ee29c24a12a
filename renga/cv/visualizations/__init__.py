"""Drawing images with boxes, points and masks, with Matplotlib."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="colormap")
