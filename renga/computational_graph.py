"""Drawing graphs: `build_computational_graph`."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
