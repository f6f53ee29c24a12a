"""Drawing a graph in Graphviz's DOT language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from renga_core.graph.function_node import FunctionNode, functions_behind
from renga_core.graph.node import VariableNode

if TYPE_CHECKING:
    from renga_core.graph.variable import Variable

__all__ = ["ComputationalGraph", "DotNode", "build_computational_graph"]

_VARIABLE_STYLE = {"shape": "octagon", "fillcolor": "#E0E0E0", "style": "filled"}
_FUNCTION_STYLE = {"shape": "record", "fillcolor": "#6495ED", "style": "filled"}

GraphNode = VariableNode | FunctionNode


class DotNode:
    """A variable node or a function as a node of a DOT graph.

    Args:
        node: The variable node or function.
        attribute: DOT attributes that replace the defaults: an oval for a variable, a box for a function.
        show_name: Write the name of a variable, if it has one, before its shape and dtype.

    Attributes:
        node: As given.
        id_: The name of the node in edges.
        attribute: All DOT attributes, including ``"label"``, as plain text.
    """

    def __init__(self, node: GraphNode, attribute: Mapping[str, Any] | None = None, show_name: bool = True) -> None:
        self.node = node
        self.id_: int | str = id(node)
        is_function = isinstance(node, FunctionNode)
        name = None if isinstance(node, FunctionNode) or not show_name else node.name
        label = node.label if name is None else f"{name}: {node.label}"
        self.attribute: dict[str, Any] = {"label": label, "shape": "box" if is_function else "oval"}
        self.attribute.update(attribute or {})

    @property
    def label(self) -> str:
        """The DOT line that defines the node."""
        text = {name: str(value).replace("\\", "\\\\") for name, value in self.attribute.items()}
        # In a record's label these characters draw boxes; in other labels a backslash before them is harmless.
        text["label"] = re.sub(r"[{}|<>]", r"\\\g<0>", text["label"])
        attributes = ", ".join([f'{name}="{_quoted(value)}"' for name, value in text.items()])
        return f"{self.id_} [{attributes}];"


class ComputationalGraph:
    """Nodes and edges of a graph, for writing as DOT.

    Args:
        nodes: Variable nodes and functions.
        edges: Pairs (from, to) of nodes, in the direction of computation.
        variable_style, function_style: DOT attributes; ``"default"``: the default style, None: ovals and boxes.
        rankdir: Direction: ``"TB"`` (top to bottom), ``"LR"`` (left to right), ``"BT"`` or ``"RL"``.
        remove_variable: Draw functions only.
        show_name: Draw the names of variables.

    Raises:
        ValueError: `rankdir` is none of the four.
    """

    def __init__(
        self,
        nodes: Sequence[GraphNode],
        edges: Sequence[tuple[GraphNode, GraphNode]],
        variable_style: str | Mapping[str, Any] | None = "default",
        function_style: str | Mapping[str, Any] | None = "default",
        rankdir: str = "TB",
        remove_variable: bool = False,
        show_name: bool = True,
    ) -> None:
        if rankdir not in ("TB", "BT", "LR", "RL"):
            raise ValueError(f"rankdir must be one of TB, BT, LR, RL, not {rankdir!r}")
        self.nodes = list(nodes)
        self.edges = list(edges)
        self.variable_style = _VARIABLE_STYLE if isinstance(variable_style, str) else dict(variable_style or {})
        self.function_style = _FUNCTION_STYLE if isinstance(function_style, str) else dict(function_style or {})
        self.rankdir = rankdir
        self.remove_variable = remove_variable
        self.show_name = show_name

    def dump(self, format: str = "dot") -> str:
        """The graph as text.

        Raises:
            ValueError: `format` is not ``"dot"``.
        """
        if format != "dot":
            raise ValueError(f"the graph can be written as 'dot' only, not as {format!r}")
        nodes, edges = (self.nodes, self.edges) if not self.remove_variable else _without_variables(self.edges)
        names = {id(node): f"n{i}" for i, node in enumerate(nodes)}
        lines = ["digraph graphname {", f"rankdir={self.rankdir};"]
        lines += [self._dot(node, names[id(node)]).label for node in nodes]
        lines += [f"{names[id(a)]} -> {names[id(b)]};" for a, b in edges]
        return "\n".join([*lines, "}"]) + "\n"

    def _dot(self, node: GraphNode, name: str) -> DotNode:
        style = self.function_style if isinstance(node, FunctionNode) else self.variable_style
        dot = DotNode(node, style, self.show_name)
        dot.id_ = name  # the same in every run
        return dot


def build_computational_graph(
    outputs: Variable | VariableNode | Sequence[Variable | VariableNode],
    remove_split: bool = True,
    variable_style: str | Mapping[str, Any] | None = "default",
    function_style: str | Mapping[str, Any] | None = "default",
    rankdir: str = "TB",
    remove_variable: bool = False,
    show_name: bool = True,
) -> ComputationalGraph:
    """Return the graph of some variables.

    Args:
        outputs: One or several variables or nodes.
        remove_split: Ignored; accepted for Chainer's programs.
        variable_style, function_style, rankdir, remove_variable, show_name: See `ComputationalGraph`.

    Raises:
        TypeError: An output is something else.
    """
    given = outputs if isinstance(outputs, (tuple, list)) else [outputs]
    ends: list[Any] = [getattr(x, "node", x) for x in given]
    for x in ends:
        if not isinstance(x, VariableNode):
            raise TypeError(f"build_computational_graph: an output is a Variable or its node, not a {type(x).__name__}")
    nodes: dict[Any, GraphNode] = {}
    edges: list[tuple[GraphNode, GraphNode]] = []
    made: set[Any] = set()

    def enter(node: VariableNode) -> VariableNode:
        """Draw one node for each variable, even if its node was made several times; with an edge from its function."""
        creator = node.creator_node
        key = node if creator is None else (creator, node.index)
        drawn = nodes.setdefault(key, node)
        assert isinstance(drawn, VariableNode)
        if creator is not None and key not in made:
            made.add(key)
            edges.append((creator, drawn))
        return drawn

    functions = functions_behind([node.creator_node for node in ends if node.creator_node is not None])
    for function in reversed(functions):
        edges += [(enter(node), function) for node in function.inputs]
        nodes[function] = function
    for node in ends:
        enter(node)
    return ComputationalGraph(
        list(nodes.values()), edges, variable_style, function_style, rankdir, remove_variable, show_name
    )


def _without_variables(
    edges: Sequence[tuple[GraphNode, GraphNode]],
) -> tuple[list[GraphNode], list[tuple[GraphNode, GraphNode]]]:
    """Draw the functions, and an edge between two functions if a variable connects them."""
    maker = {id(b): a for a, b in edges if isinstance(b, VariableNode)}
    functions = {id(n): n for edge in edges for n in edge if isinstance(n, FunctionNode)}
    direct = [(maker[id(a)], b) for a, b in edges if isinstance(a, VariableNode) and id(a) in maker]
    return list(functions.values()), direct


def _quoted(text: str) -> str:
    return text.replace('"', '\\"').replace("\n", "\\n")
