"""Hooks around links: `renga_nn.link_hooks`, and hooks of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
