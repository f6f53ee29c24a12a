"""Initializers of parameters: `renga_nn.initializers`, and initializers of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
