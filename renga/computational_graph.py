"""Drawing graphs: `renga_core.graph.computational_graph`."""

from renga_core.graph.computational_graph import ComputationalGraph, build_computational_graph

__all__ = ["ComputationalGraph", "build_computational_graph"]
