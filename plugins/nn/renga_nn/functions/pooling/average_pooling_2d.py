"""The mean of each window, and of each whole image."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import mean
from renga_nn.functions.pooling.window import Window

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["average_pooling_2d", "global_average_pooling_2d"]


def average_pooling_2d(
    x: Any, ksize: int | Sequence[int], stride: int | Sequence[int] | None = None, pad: int | Sequence[int] = 0
) -> Variable:
    """The mean of each window of an image; zeros of the border count.

    Args:
        x: Images ``(N, C, H, W)``.
        ksize: Size of the window; one number, or one for each axis, as for `stride` and `pad`.
        stride: Step of the window; `ksize` if None.
        pad: Width of a border of zeros.

    Returns:
        Variable ``(N, C, H', W')`` with ``H' = (H + 2 pad - ksize) // stride + 1``.

    Raises:
        InvalidType: `x` is not of floating images, or they are smaller than the window.
        ValueError: `ksize`, `stride` or `pad` makes no sense.

    >>> import numpy as np
    >>> average_pooling_2d(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4), 2).array.tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """
    return AveragePooling(Window.over("average_pooling_2d", x, ksize, stride, pad, False, 2)).apply((x,))[0]


def global_average_pooling_2d(x: Any) -> Variable:
    """The mean of each whole image (Lin et al. 2013, 3.2): from ``(N, C, H, W)`` to ``(N, C)``.

    Raises:
        InvalidType: `x` does not have four axes.

    >>> import numpy as np
    >>> global_average_pooling_2d(np.ones((1, 2, 3, 3), np.float32)).array.tolist()
    [[1.0, 1.0]]
    """
    if x.ndim != 4:
        raise InvalidType("global_average_pooling_2d", "x", "4 axes", describe_array(x))
    return mean(x, (2, 3))


class AveragePooling(FunctionNode):
    """The mean of each window. It is linear and keeps nothing."""

    fresh_gradients = True

    def __init__(self, window: Window) -> None:
        self.window = window

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """A sum of as many images as the window has elements."""
        (x,) = inputs
        xp = get_array_module(x)
        padded = self.window.pad_images(xp, x, 0)
        elements = self.window.elements()
        y = xp.copy(padded[next(elements)])
        for element in elements:
            y += padded[element]
        y *= 1.0 / math.prod(self.window.ksize)
        return (y,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Each pixel has its share of the gradients of all windows that saw it."""
        return AveragePoolingGradient(self.window).apply(grad_outputs)


class AveragePoolingGradient(FunctionNode):
    """Spread each element evenly over its window: the transpose of `AveragePooling`."""

    fresh_gradients = True

    def __init__(self, window: Window) -> None:
        self.window = window

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Add to each element of the window."""
        (gy,) = inputs
        share = gy * (1.0 / math.prod(self.window.ksize))
        gx = get_array_module(gy).zeros((*gy.shape[:2], *self.window.padded), dtype=gy.dtype)
        for element in self.window.elements():
            gx[element] += share
        return (self.window.crop_images(gx),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The mean."""
        return AveragePooling(self.window).apply(grad_outputs)
