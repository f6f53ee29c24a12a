"""Detection in two stages: regions are proposed, then classified (Faster R-CNN)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
