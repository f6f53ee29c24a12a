"""Networks with the method `predict`, and their parts."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="connection model")
