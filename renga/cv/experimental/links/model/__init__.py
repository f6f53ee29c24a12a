"""The parts of each network."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="fcis pspnet yolo")
