"""Initializers of parameters: those of `renga_nn.initializers`, and of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
