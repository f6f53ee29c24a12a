"""Padding an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionNode
from renga_core.graph.errors import require_array
from renga_core.graph.operators import get_item

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["pad"]


def pad(
    x: Any,
    pad_width: int | Sequence[int] | Sequence[Sequence[int]],
    mode: str,
    *,
    constant_values: float | Sequence[float] | Sequence[Sequence[float]] = 0,
) -> Variable:
    """Pad an array with constant values.

    Args:
        x: Variable or array.
        pad_width: Width of the border: one number; or a pair (before, after) for all axes; or a pair for each axis.
        mode: ``"constant"``, the only differentiable mode.
        constant_values: The value, or values, in the same forms. In corners the last axis takes precedence.

    Raises:
        ValueError: Another `mode`; negative `pad_width`; or it or `constant_values` does not fit the axes.

    >>> import numpy as np
    >>> pad(np.array([1.0, 2.0]), (1, 2), "constant").array.tolist()
    [0.0, 1.0, 2.0, 0.0, 0.0]
    """
    if mode != "constant":
        raise ValueError(f"pad: mode {mode!r} cannot be differentiated; only 'constant' can")
    require_array("pad", "x", x)
    widths = _pairs("pad_width", pad_width, x.ndim, "iu")
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError(f"pad: pad_width {pad_width!r} has a negative width")
    return Pad(widths, _pairs("constant_values", constant_values, x.ndim, "biufV")).apply((x,))[0]


def _pairs(argument: str, given: Any, ndim: int, kinds: str) -> list[list[Any]]:
    """A pair for each axis, from one number, a pair for all, or a pair for each."""
    try:
        pairs = np.broadcast_to(np.asarray(given), (ndim, 2))
    except ValueError:
        raise ValueError(f"pad: {argument} {given!r} is not a pair for each of {ndim} axes, or one for all") from None
    if pairs.dtype.kind not in kinds:
        raise ValueError(f"pad: {argument} is {given!r}; it must contain numbers, and integers for widths")
    return list(pairs.tolist())


class Pad(FunctionNode):
    """Pad with constant values; the gradient is the part inside the border.

    Args:
        widths: For each axis, the width of the border before and after.
        values: For each axis, the value of the border before and after.
    """

    def __init__(self, widths: list[list[int]], values: list[list[float]]) -> None:
        self.widths = widths
        self.values = values

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Write the border, axis by axis, and the inside."""
        (x,) = inputs
        sizes = [before + size + after for size, (before, after) in zip(x.shape, self.widths, strict=True)]
        y = get_backend(x).xp.empty(tuple(sizes), dtype=x.dtype)
        lead: tuple[slice, ...] = ()
        for size, (before, after), (first, last) in zip(sizes, self.widths, self.values, strict=True):
            y[(*lead, slice(before))] = first
            y[(*lead, slice(size - after, size))] = last
            lead += (slice(None),)
        y[self._inside(x.shape)] = x
        return (y,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The inside, as a view."""
        return (grad_outputs[0][self._inside(self.inputs[0].shape)],)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The inside."""
        return (get_item(grad_outputs[0], self._inside(self.inputs[0].shape)),)

    def _inside(self, shape: tuple[int, ...]) -> tuple[slice, ...]:
        return tuple([slice(before, before + size) for size, (before, _) in zip(shape, self.widths, strict=True)])
