"""Detection and instance segmentation on a pyramid of features (FPN, Mask R-CNN)."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="misc")
