"""Optimizer hooks, for ``optimizer.add_hook``: `renga_optimizers.hooks`, and hooks of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
