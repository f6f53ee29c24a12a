"""A border around an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionNode
from renga_core.graph.errors import require_array
from renga_core.graph.operators import get_item

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["pad"]


def pad(
    x: Any, pad_width: int | Sequence[int] | Sequence[Sequence[int]], mode: str, *, constant_values: float = 0
) -> Variable:
    """A border of one value around an array.

    Args:
        x: Variable or array.
        pad_width: Width of the border: one number; or a pair (before, after) for all axes; or a pair for each axis.
        mode: ``"constant"``, the only one that can be differentiated.
        constant_values: The border's value.

    Raises:
        ValueError: `mode` is another one, or `pad_width` does not fit the axes of `x` or is negative.

    >>> import numpy as np
    >>> pad(np.array([1.0, 2.0]), (1, 2), "constant").array.tolist()
    [0.0, 1.0, 2.0, 0.0, 0.0]
    """
    if mode != "constant":
        raise ValueError(f"pad: mode {mode!r} cannot be differentiated; only 'constant' can")
    require_array("pad", "x", x)
    return Pad(_width_of_each_axis(pad_width, x.ndim), constant_values).apply((x,))[0]


def _width_of_each_axis(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    given = (pad_width,) if isinstance(pad_width, int) else tuple(pad_width)
    if all(isinstance(width, int) for width in given):
        given = (given * (3 - len(given)),) * ndim
    elif len(given) == 1:
        given *= ndim
    pairs = tuple([tuple(width) for width in given])
    if len(pairs) != ndim or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise ValueError(f"pad: pad_width {pad_width!r} is not a pair of numbers from 0 for each of {ndim} axes")
    return pairs


class Pad(FunctionNode):
    """Put a border of one value around the input; its gradient is what lies inside the border."""

    def __init__(self, widths: tuple[tuple[int, int], ...], value: float) -> None:
        self.widths = widths
        self.value = value

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Fill, then write the inside."""
        (x,) = inputs
        sizes = [before + size + after for size, (before, after) in zip(x.shape, self.widths, strict=True)]
        y = get_backend(x).xp.full(tuple(sizes), self.value, dtype=x.dtype)
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
