"""Moving channels of images in different directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module, is_floating
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import require_array
from renga_nn.functions.window import per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["shift"]


def shift(x: Any, ksize: int | Sequence[int] = 3, dilate: int | Sequence[int] = 1) -> Variable:
    """Shift each group of channels by a step within a window: a depthwise convolution without weights.

    The channels are divided into ``kh * kw`` groups of equal size. The last group, which also contains the remaining
    channels, is not moved. Each other group moves down and to the right by the distance of one window element from the
    center; zeros enter (Wu et al. 2018, "Shift", 3.2).

    Args:
        x: Images ``(N, C, H, W)`` with at least ``kh * kw`` channels.
        ksize: Size of the window, odd; one number, or a pair.
        dilate: Size of a step in pixels; one number, or a pair.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: `x` does not contain floating images, or has too few channels.
        ValueError: `ksize` is not odd, or `ksize` or `dilate` is invalid.

    >>> import numpy as np
    >>> x = np.ones((1, 3, 1, 3), np.float32)
    >>> shift(x, ksize=(1, 3)).array.tolist()
    [[[[1.0, 1.0, 0.0]], [[0.0, 1.0, 1.0]], [[1.0, 1.0, 1.0]]]]
    """
    rows, columns = per_axis("shift", "ksize", ksize, 2)
    down, right = per_axis("shift", "dilate", dilate, 2)
    if not (rows % 2 and columns % 2):
        raise ValueError(f"shift: ksize must be odd, so that the window has a centre, not {ksize!r}")
    require_array("shift", "x", x)
    if x.ndim != 4 or not is_floating(x.dtype) or x.shape[1] < rows * columns:
        expected = f"4 axes, at least {rows * columns} channels (axis 1) and a floating dtype"
        raise InvalidType("shift", "x", expected, describe_array(x))
    return Shift((rows, columns), (down, right)).apply((x,))[0]


class Shift(FunctionNode):
    """Move groups of channels. It is linear and keeps nothing.

    Args:
        ksize: Size of the window.
        steps: Pixels per step down and to the right; negative ones move back.
    """

    fresh_gradients = True

    def __init__(self, ksize: tuple[int, int], steps: tuple[int, int]) -> None:
        self.ksize = ksize
        self.steps = steps

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Copy each group to its place."""
        (x,) = inputs
        y = get_array_module(x).zeros(x.shape, dtype=x.dtype)
        for channels, down, right in self._moves(x.shape[1]):
            (to_rows, from_rows), (to_columns, from_columns) = _overlap(x.shape[2], down), _overlap(x.shape[3], right)
            y[:, channels, to_rows, to_columns] = x[:, channels, from_rows, from_columns]
        return (y,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradients are shifted back."""
        return Shift(self.ksize, (-self.steps[0], -self.steps[1])).apply(grad_outputs)

    def _moves(self, channels: int) -> Iterator[tuple[slice, int, int]]:
        """Yield each group of channels, and its shift."""
        rows, columns = self.ksize
        groups = rows * columns
        size, centre = channels // groups, groups // 2
        for group in range(groups):
            last = group == groups - 1
            # Swap the last group with the center: it is not moved, and contains the remaining channels.
            element = centre if last else groups - 1 if group == centre else group
            row, column = divmod(element, columns)
            taken = slice(group * size, channels if last else (group + 1) * size)
            yield taken, (row - rows // 2) * self.steps[0], (column - columns // 2) * self.steps[1]


def _overlap(size: int, step: int) -> tuple[slice, slice]:
    """The index ranges of the target and the source, for a shift by `step` along an axis."""
    kept = max(0, size - abs(step))
    first, second = slice(0, kept), slice(size - kept, size)
    return (second, first) if step > 0 else (first, second)
