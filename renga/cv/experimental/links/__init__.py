"""More networks: FCIS, PSPNet, tiny YOLO."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="model")
