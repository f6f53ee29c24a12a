# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_nn.computational_graph import ComputationalGraph as ComputationalGraph
from renga_nn.computational_graph import DotNode as DotNode
from renga_nn.computational_graph import build_computational_graph as build_computational_graph

__all__ = [
    "ComputationalGraph",
    "DotNode",
    "build_computational_graph",
]
