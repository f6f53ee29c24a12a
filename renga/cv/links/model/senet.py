"""Residual networks with channel attention (SENet)."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
