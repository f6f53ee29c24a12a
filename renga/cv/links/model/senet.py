"""Residual networks that weigh channels (SENet)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
