"""The sum over each window, and its transpose: what mean pooling and unpooling are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode
from renga_nn.functions.pooling.window import Window

__all__ = ["WindowSpread", "WindowSum"]


class WindowSum(FunctionNode):
    """The sum of the elements of each window, times `scale`. It is linear and keeps nothing.

    Args:
        window: The window.
        scale: A number, or an array with one for each position of the window.
    """

    fresh_gradients = True

    def __init__(self, window: Window, scale: float | Array = 1.0) -> None:
        self.window = window
        self.scale = scale

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """A sum of as many images as the window has elements."""
        (x,) = inputs
        xp = get_array_module(x)
        padded = self.window.pad_images(xp, x, 0)
        elements = self.window.elements()
        y = xp.copy(padded[next(elements)])
        for element in elements:
            y += padded[element]
        y *= self.scale
        return (y,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Each pixel has its share of the gradients of all windows that saw it."""
        return WindowSpread(self.window, self.scale).apply(grad_outputs)


class WindowSpread(FunctionNode):
    """Add each element, times `scale`, to all elements of its window: the transpose of `WindowSum`."""

    fresh_gradients = True

    def __init__(self, window: Window, scale: float | Array = 1.0) -> None:
        self.window = window
        self.scale = scale

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Add to each element of the window."""
        (gy,) = inputs
        share = gy * self.scale
        gx = get_array_module(gy).zeros((*gy.shape[:2], *self.window.padded), dtype=gy.dtype)
        for element in self.window.elements():
            gx[element] += share
        return (self.window.crop_images(gx),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The sum."""
        return WindowSum(self.window, self.scale).apply(grad_outputs)
