"""``chainer.graph_optimizations``: static graphs, which have no effect in Renga."""

from renga_chainer.modules.chainer.graph_optimizations.static_graph_utilities import static_code

__all__ = ["static_code"]
