"""Layers with parameters: `renga_nn.links`, and links of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
