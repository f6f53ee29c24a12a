"""A graph as it is computed: what is left of a file once it is read and found to be sound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_onnx.load.operators import OPERATORS, Operator

__all__ = ["Graph", "Host", "Node"]

Host = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Node:
    """One operator, applied.

    Attributes:
        name: How messages call it: its name in the file, or else its number, and its operator.
        kind: Name of its operator.
        inputs: Names of the values it takes; "" for one that is left out.
        outputs: Names of the values it makes; "" for one that nobody wants.
        attributes: Numbers, strings, lists of them, NumPy arrays, and `Graph`.
        last_uses: Names of the values that nothing after it takes: they need not be kept.
    """

    name: str
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    last_uses: tuple[str, ...]

    @property
    def operator(self) -> Operator:
        """What computes it. Looked up by name, so that a graph can be pickled."""
        return OPERATORS[self.kind]


@dataclass(frozen=True)
class Graph:
    """Nodes in an order in which they can be computed.

    Attributes:
        inputs: Names of the values to be given.
        outputs: Names of the values that come out.
        nodes: The nodes. A graph within a node also sees the values of the graphs around it.
        initializers: The arrays of the file, by name; those of the graphs within stand in these.
        number: Of the graphs in the file, which one it is.
        declared: dtype and shape of each output, as the file declares them; 0 for sizes that it leaves open.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    initializers: dict[str, Host]
    number: int
    declared: tuple[tuple[Any, tuple[int, ...]], ...]
