# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_nn.computational_graph import ComputationalGraph as ComputationalGraph
from renga_nn.computational_graph import DotNode as DotNode
from renga_nn.computational_graph import build_computational_graph as build_computational_graph

__all__ = [
    "ComputationalGraph",
    "DotNode",
    "build_computational_graph",
]
