"""Triggers of `renga_training.triggers` and of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
