"""Detection in two stages with a light second one (Light-Head R-CNN)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
