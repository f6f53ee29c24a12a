"""``chainer.graph_optimizations.static_graph``."""

from renga_chainer.modules.chainer.graph_optimizations.static_graph_utilities import static_graph

__all__ = ["static_graph"]
