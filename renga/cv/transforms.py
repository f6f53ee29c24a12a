"""Pictures, boxes, masks and points, changed together."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
