"""The sum over each window, and its transpose, which average pooling and unpooling use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import FunctionNode
from renga_core.kernel import Operation
from renga_nn.functions.pooling.window import Window

__all__ = ["WindowSpread", "WindowSum"]


def _sum(x: Array, window: Window, scale: float | Array) -> Array:
    """A sum over one shifted image per window element."""
    xp = get_array_module(x)
    padded = window.pad_images(xp, x, 0)
    elements = window.elements()
    y = xp.copy(padded[next(elements)])
    for element in elements:
        y += padded[element]
    y *= scale
    return y


def _spread(gy: Array, window: Window, scale: float | Array) -> Array:
    """Add each share to each element of the window."""
    share = gy * scale
    gx = get_array_module(gy).zeros((*gy.shape[:2], *window.padded), dtype=gy.dtype)
    for element in window.elements():
        gx[element] += share
    return window.crop_images(gx)


# Each is the backward of the other, so neither defines its own.
WINDOW_SUM = Operation("window_sum", _sum, samples="renga_nn.functions.example_arguments:window_sum")
WINDOW_SPREAD = Operation("window_spread", _spread, samples="renga_nn.functions.example_arguments:window_spread")


class WindowSum(FunctionNode):
    """The sum of the elements of each window, times `scale`. It is linear and keeps nothing.

    Args:
        window: The window.
        scale: A number, or an array with one number per position of the window.
    """

    fresh_gradients = True

    def __init__(self, window: Window, scale: float | Array = 1.0) -> None:
        self.window = window
        self.scale = scale

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Add up."""
        args = (inputs[0], self.window, self.scale)
        return (WINDOW_SUM.select(get_backend(inputs[0]), *args).forward(*args),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Each pixel receives the gradients of all windows that contain it, times `scale`."""
        return WindowSpread(self.window, self.scale).apply(grad_outputs)


class WindowSpread(FunctionNode):
    """Add each element, times `scale`, to all elements of its window: the transpose of `WindowSum`."""

    fresh_gradients = True

    def __init__(self, window: Window, scale: float | Array = 1.0) -> None:
        self.window = window
        self.scale = scale

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Spread."""
        args = (inputs[0], self.window, self.scale)
        return (WINDOW_SPREAD.select(get_backend(inputs[0]), *args).forward(*args),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The sum."""
        return WindowSum(self.window, self.scale).apply(grad_outputs)
