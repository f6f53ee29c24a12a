"""Optimizer hooks, for ``optimizer.add_hook``: those of `renga_optimizers.hooks`, and of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
