"""Small functions of the networks on a pyramid of features."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
