"""Reversing elements along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_core.graph import FunctionNode
from renga_nn.functions.checks import normalize_axis, require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["flip", "fliplr", "flipud"]


def flip(x: Any, axis: int) -> Variable:
    """Reverse the elements along an axis.

    Raises:
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> flip(np.array([[1.0, 2.0], [3.0, 4.0]]), 1).array.tolist()
    [[2.0, 1.0], [4.0, 3.0]]
    """
    require_array("flip", "x", x)
    return Flip(normalize_axis("flip", axis, x.ndim)).apply((x,))[0]


def fliplr(a: Any) -> Variable:
    """`flip` along axis 1: left to right.

    Raises:
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> fliplr(np.array([[1.0, 2.0], [3.0, 4.0]])).array.tolist()
    [[2.0, 1.0], [4.0, 3.0]]
    """
    require_array("fliplr", "a", a)
    return Flip(normalize_axis("fliplr", 1, a.ndim)).apply((a,))[0]


def flipud(a: Any) -> Variable:
    """`flip` along axis 0: upside down.

    Raises:
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> flipud(np.array([[1.0, 2.0], [3.0, 4.0]])).array.tolist()
    [[3.0, 4.0], [1.0, 2.0]]
    """
    require_array("flipud", "a", a)
    return Flip(normalize_axis("flipud", 0, a.ndim)).apply((a,))[0]


class Flip(FunctionNode):
    """Reverse an axis; the gradient is reversed too."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """A view where the library has views."""
        return (self._reversed(inputs[0]),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Reversed again."""
        return (self._reversed(grad_outputs[0]),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Reversed again."""
        return Flip(self.axis).apply((grad_outputs[0],))

    def _reversed(self, x: Array) -> Array:
        return x[(*[slice(None)] * self.axis, slice(None, None, -1))]
