"""`ComputationalGraph.dump` in Chainer's format: all statements in one line."""

from __future__ import annotations

from typing import Any

from renga_nn.computational_graph import ComputationalGraph

__all__ = ["ADDITIONS"]

_dump = ComputationalGraph.dump


def _dump_in_one_line(self: ComputationalGraph, format: str = "dot") -> str:
    """Return the graph as text.

    Raises:
        NotImplementedError: `format` is not ``"dot"``.
    """
    if format != "dot":
        raise NotImplementedError("Currently, only dot format is supported.")
    # Labels contain newlines as \n, so that each real newline ends a statement.
    return _dump(self).replace("digraph graphname {", "digraph graphname{").replace("\n", "")


ADDITIONS: list[tuple[Any, str, Any]] = [(ComputationalGraph, "dump", _dump_in_one_line)]
