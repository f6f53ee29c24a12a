"""Tiny YOLO v2."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
