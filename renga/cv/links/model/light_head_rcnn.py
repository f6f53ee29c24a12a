"""Detection in two stages with a small second stage (Light-Head R-CNN)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
