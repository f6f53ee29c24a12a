"""Hooks of links: those of `renga_nn.link_hooks`, and of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
