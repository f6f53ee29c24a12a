"""Drawing graphs: `renga_core.graph.computational_graph`."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.graph.computational_graph": "ComputationalGraph DotNode build_computational_graph",
    },
)
