"""Detection in one stage on a grid (YOLO v2 and v3)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
