"""A validated graph, ready to be computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_onnx.load.operators import OPERATORS, Operator

__all__ = ["Graph", "Host", "Node"]

Host = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Node:
    """One application of an operator.

    Attributes:
        name: Name in messages: the file's name or a number, and the operator.
        kind: Name of its operator.
        inputs: Names of the inputs; "" for an omitted input.
        outputs: Names of the outputs; "" for an unused output.
        attributes: Numbers, strings, lists of these, NumPy arrays, and `Graph`.
        last_uses: Names of values that no later node uses, so that they can be freed.
    """

    name: str
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    last_uses: tuple[str, ...]

    @property
    def operator(self) -> Operator:
        """Implementation of the operator, looked up by name so that a graph can be pickled."""
        return OPERATORS[self.kind]


@dataclass(frozen=True)
class Graph:
    """Nodes in an order of computation.

    Attributes:
        inputs: Names of the inputs.
        outputs: Names of the outputs.
        nodes: The nodes. A graph inside a node also sees the values of the enclosing graphs.
        initializers: Arrays of the file, by name; inner graphs have their own.
        number: Index among the graphs in the file.
        declared: dtype and shape of each output, as declared in the file; 0 for open sizes.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    initializers: dict[str, Host]
    number: int
    declared: tuple[tuple[Any, tuple[int, ...]], ...]
