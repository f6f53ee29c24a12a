"""Checks that values are what the interface says: images, boxes, networks, data sets."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
