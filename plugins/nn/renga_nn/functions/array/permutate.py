"""Permuting elements along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_backend, to_host
from renga_core.configuration import config
from renga_core.graph import FunctionNode, InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import normalize_axis, require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["permutate"]


def permutate(x: Any, indices: Any, axis: int = 0, inv: bool = False) -> Variable:
    """Permute elements along an axis: ``y[i] = x[indices[i]]``, or with `inv` ``y[indices[i]] = x[i]``.

    Args:
        x: Variable or array.
        indices: Integers, each from 0 to ``x.shape[axis] - 1`` once.
        axis: The axis to permute along; negative numbers count from the end.
        inv: Apply the inverse permutation.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: `indices` is not one integer for each element along the axis.
        ValueError: There is no such axis, or `indices` is not a permutation. The latter is not checked if
            ``config.type_check`` is off, because on an accelerator the check waits for the device.

    >>> import numpy as np
    >>> permutate(np.array([10.0, 20.0, 30.0]), np.array([2, 0, 1])).array.tolist()
    [30.0, 10.0, 20.0]
    >>> permutate(np.array([10.0, 20.0, 30.0]), np.array([2, 0, 1]), inv=True).array.tolist()
    [20.0, 30.0, 10.0]
    """
    require_array("permutate", "x", x)
    number = normalize_axis("permutate", axis, x.ndim)
    order = as_array(indices)
    size = x.shape[number]
    if getattr(order, "shape", None) != (size,) or order.dtype.kind not in "iu":
        expected = f"({size},) integers for axis {axis} of x: {describe_array(x)}"
        raise InvalidType("permutate", "indices", expected, describe_array(order))
    if config.type_check and not np.array_equal(np.sort(to_host(order)), np.arange(size)):
        raise ValueError(f"permutate: indices are not a permutation of 0 to {size - 1}")
    return Permutate(_inverse(order) if inv else order, number).apply((x,))[0]


def _inverse(order: Array) -> Array:
    xp = get_backend(order).xp
    inverse = xp.zeros(order.shape, dtype=order.dtype)
    inverse[order] = xp.arange(order.size, dtype=order.dtype)
    return inverse


class Permutate(FunctionNode):
    """Gather along `axis`; the gradient is gathered with the inverse permutation."""

    fresh_gradients = True

    def __init__(self, order: Array, axis: int) -> None:
        self.order = order
        self.axis = axis

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Gather."""
        return (self._gathered(inputs[0], self.order),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """In the inverse order."""
        return (self._gathered(grad_outputs[0], _inverse(self.order)),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """In the inverse order."""
        return Permutate(_inverse(self.order), self.axis).apply((grad_outputs[0],))

    def _gathered(self, x: Array, order: Array) -> Array:
        return x[(*[slice(None)] * self.axis, order)]
