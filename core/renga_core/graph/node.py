"""`VariableNode`: the node of a Variable in the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weakref import ref

    from renga_core.graph.function_node import FunctionNode
    from renga_core.graph.variable import Variable

__all__ = ["VariableNode"]


class VariableNode:
    """A variable in the graph: its origin, shape and dtype, but not its array.

    A `Variable` refers to its node; the node refers back only weakly. When the user drops a Variable, its array is
    freed unless a function retained it, while the graph stays intact (the paper, section 4.1). `creator_node` and
    `index` say which output of which function the node stands for. Gradients are routed by this pair, so a freed node
    can be made again at any time (section 4.2.2).

    Attributes:
        creator_node: The function that computed the variable; None for a leaf.
        index: Its index among the outputs of that function.
        shape, dtype: Shape and dtype of the variable's array.
        requires_grad: Whether a gradient is needed.
        name: Name of the Variable, if the user gave one.
    """

    __slots__ = ("_variable", "creator_node", "dtype", "index", "name", "requires_grad", "shape")

    _variable: ref[Variable] | None
    creator_node: FunctionNode | None
    index: int
    shape: tuple[int, ...]
    dtype: Any
    requires_grad: bool
    name: str | None

    @staticmethod
    def make(
        creator_node: FunctionNode | None, index: int, shape: tuple[int, ...], dtype: Any, requires_grad: bool
    ) -> VariableNode:
        """Make a node without name or Variable. There is no ``__init__``, because calling it takes too long."""
        node = VariableNode()
        node.creator_node = creator_node
        node.index = index
        node.shape = shape
        node.dtype = dtype
        node.requires_grad = requires_grad
        node._variable = None
        node.name = None
        return node

    @property
    def creator(self) -> FunctionNode | None:
        """The function that computed the variable (Chainer's other name for `creator_node`)."""
        return self.creator_node

    @property
    def rank(self) -> int:
        """Length of the longest path from a leaf to here."""
        return 0 if self.creator_node is None else self.creator_node.rank + 1

    @property
    def label(self) -> str:
        """Shape and dtype as text, for drawings of the graph."""
        return f"{self.shape}, {self.dtype}" if self.shape else str(self.dtype)

    def get_variable_or_none(self) -> Variable | None:
        """The Variable of this node, if the user still holds it."""
        return None if self._variable is None else self._variable()

    def unchain(self) -> None:
        """Forget the creator: backward stops here."""
        self.creator_node = None

    def __repr__(self) -> str:
        return f"<VariableNode {self.name or ''}({self.label})>"
