"""Assertions that images, boxes, networks and data sets follow the interface."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
