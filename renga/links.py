"""Layers with parameters: those of `renga_nn.links`, and of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
