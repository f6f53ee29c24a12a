"""``chainer.graph_optimizations``: static graphs, which Renga leaves alone."""

from renga_chainer.modules.chainer.graph_optimizations.static_graph_utilities import static_code

__all__ = ["static_code"]
