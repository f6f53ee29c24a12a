"""More networks, under the name that ChainerCV used for unstable interfaces."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="links")
