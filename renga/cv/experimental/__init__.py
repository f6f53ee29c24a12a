"""More networks, under ChainerCV's name for those whose interface might have changed."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="links")
