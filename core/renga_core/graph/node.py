"""What the graph holds of a Variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weakref import ref

    from renga_core.graph.function_node import FunctionNode
    from renga_core.graph.variable import Variable

__all__ = ["VariableNode"]


class VariableNode:
    """A variable as the graph sees it: where it came from, and what it looks like, but not its array.

    A `Variable` refers to its node; the node refers back only weakly. So when a user drops a Variable its array is
    freed, unless a function retained it, while the graph goes on (the paper, section 4.1). Which output of which
    function a node stands for is said by `creator_node` and `index`: gradients are routed by that pair, so a node that
    has died can be made again at any time (section 4.2.2).

    Attributes:
        creator_node: The function that computed the variable; None for a leaf.
        index: Its place among that function's outputs.
        shape, dtype: Of the variable's array.
        requires_grad: False where no gradient is wanted.
        name: As the user named the Variable.
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
        """A node without name or Variable. There is no ``__init__``, whose call would take longer than all the rest."""
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
        """Shape and dtype as text, for the drawing of a graph."""
        return f"{self.shape}, {self.dtype}" if self.shape else str(self.dtype)

    def get_variable_or_none(self) -> Variable | None:
        """The Variable of this node, if the user still holds it."""
        return None if self._variable is None else self._variable()

    def unchain(self) -> None:
        """Forget where the variable came from: backward stops here."""
        self.creator_node = None

    def __repr__(self) -> str:
        return f"<VariableNode {self.name or ''}({self.label})>"
