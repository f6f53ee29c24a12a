"""Networks with `predict`, and links that they are made of."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="connection model")
