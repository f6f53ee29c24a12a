"""Indexes of the largest and the smallest elements."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode, InvalidType, Variable, as_array
from renga_core.graph.errors import describe_array, require_array
from renga_core.graph.operators.axes import normalize_axes

__all__ = ["argmax", "argmin"]


def argmax(x: Any, axis: int | None = None) -> Variable:
    """The index of the largest element along an axis (default: of all elements); of ties, the first.

    Args:
        x: Variable or array.
        axis: The axis to search along.

    Returns:
        Variable of integers (int32), of the shape without `axis`. No gradient flows through it.

    Raises:
        InvalidType: There are no elements.
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> argmax(np.array([[1.0, 5.0], [7.0, 3.0]]), axis=1).array.tolist()
    [1, 0]
    """
    return _search(ArgMax, "argmax", x, axis)


def argmin(x: Any, axis: int | None = None) -> Variable:
    """The index of the smallest element. Arguments, result and errors as `argmax`.

    >>> import numpy as np
    >>> argmin(np.array([[1.0, 5.0], [7.0, 3.0]]), axis=1).array.tolist()
    [0, 1]
    """
    return _search(ArgMin, "argmin", x, axis)


def _search(node: type[Search], name: str, x: Any, axis: int | None) -> Variable:
    require_array(name, "x", x)
    if any(x.shape[a] == 0 for a in normalize_axes(name, axis, x.ndim)):
        raise InvalidType(name, "x", "at least one element to choose from", describe_array(x))
    return node(axis).apply((as_array(x),))[0]


class Search(FunctionNode):
    """The index of an element. It is applied to arrays, not Variables: no gradient flows through it."""

    def __init__(self, axis: int | None) -> None:
        self.axis = axis

    def find(self, xp: Any, x: Array) -> Any:
        """The index, in any integer dtype."""
        raise NotImplementedError

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """The index."""
        xp = get_array_module(inputs[0])
        return (xp.asarray(self.find(xp, inputs[0]), dtype="int32"),)


class ArgMax(Search):
    """Of the largest."""

    def find(self, xp: Any, x: Array) -> Any:
        return xp.argmax(x, axis=self.axis)


class ArgMin(Search):
    """Of the smallest."""

    def find(self, xp: Any, x: Array) -> Any:
        return xp.argmin(x, axis=self.axis)
