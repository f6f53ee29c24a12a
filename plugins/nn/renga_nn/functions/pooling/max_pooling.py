"""The largest element in each window, for any number of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import FunctionNode, as_array
from renga_core.kernel import Operation
from renga_nn.functions.checks import require_array
from renga_nn.functions.pooling.window import Window

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["max_pooling_1d", "max_pooling_2d", "max_pooling_3d", "max_pooling_nd"]


@overload
def max_pooling_2d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    return_indices: Literal[False] = False,
) -> Variable: ...
@overload
def max_pooling_2d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    *,
    return_indices: Literal[True],
) -> tuple[Variable, Array]: ...
def max_pooling_2d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | tuple[Variable, Array]:
    """The largest element in each window of an image.

    For ties the gradient goes to the first element in row-major order.

    Args:
        x: Images ``(N, C, H, W)``.
        ksize: Size of the window; one number, or one for each axis, as for `stride` and `pad`.
        stride: Step of the window; `ksize` if None.
        pad: Width of a border, whose elements are never the largest.
        cover_all: Let windows extend beyond the border at the end, so that each pixel is covered. (Other libraries call
            this ``ceil_mode``, and most do not do it by default.)
        return_indices: Also return the index of each result in its window.

    Returns:
        Variable ``(N, C, H', W')`` with ``H' = (H + 2 pad - ksize) // stride + 1``, rounded up with `cover_all` (except
        for a last window without any pixel). With `return_indices` also an integer array of this shape, with numbers
        from 0 to ``kh * kw - 1``.

    Raises:
        InvalidType: `x` is not of floating images, or they are smaller than the window.
        ValueError: `ksize`, `stride` or `pad` is invalid.

    >>> import numpy as np
    >>> x = np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3)
    >>> max_pooling_2d(x, 2).array.tolist()
    [[[[4.0, 5.0], [7.0, 8.0]]]]
    """
    return _pool("max_pooling_2d", x, ksize, stride, pad, cover_all, return_indices, 2)


@overload
def max_pooling_1d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    return_indices: Literal[False] = False,
) -> Variable: ...
@overload
def max_pooling_1d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    *,
    return_indices: Literal[True],
) -> tuple[Variable, Array]: ...
def max_pooling_1d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | tuple[Variable, Array]:
    """The largest element in each window of a series ``(N, C, L)``; see `max_pooling_2d`.

    >>> import numpy as np
    >>> max_pooling_1d(np.array([[[1.0, 4.0, 2.0, 3.0, 5.0]]]), 2).array.tolist()
    [[[4.0, 3.0, 5.0]]]
    """
    return _pool("max_pooling_1d", x, ksize, stride, pad, cover_all, return_indices, 1)


@overload
def max_pooling_3d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    return_indices: Literal[False] = False,
) -> Variable: ...
@overload
def max_pooling_3d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    *,
    return_indices: Literal[True],
) -> tuple[Variable, Array]: ...
def max_pooling_3d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | tuple[Variable, Array]:
    """The largest element in each window of a volume ``(N, C, D, H, W)``; see `max_pooling_2d`.

    >>> import numpy as np
    >>> max_pooling_3d(np.arange(8.0).reshape(1, 1, 2, 2, 2), 2).array.tolist()
    [[[[[7.0]]]]]
    """
    return _pool("max_pooling_3d", x, ksize, stride, pad, cover_all, return_indices, 3)


@overload
def max_pooling_nd(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    return_indices: Literal[False] = False,
) -> Variable: ...
@overload
def max_pooling_nd(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    *,
    return_indices: Literal[True],
) -> tuple[Variable, Array]: ...
def max_pooling_nd(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | tuple[Variable, Array]:
    """The largest element in each window of a batch ``(N, C, d1, ..., dn)``; see `max_pooling_2d`.

    >>> import numpy as np
    >>> y, indices = max_pooling_nd(np.array([[[1.0, 4.0, 2.0, 3.0]]]), 2, return_indices=True)
    >>> y.array.tolist(), indices.tolist()
    ([[[4.0, 3.0]]], [[[1, 1]]])
    """
    require_array("max_pooling_nd", "x", x)
    return _pool("max_pooling_nd", x, ksize, stride, pad, cover_all, return_indices, x.ndim - 2)


def _pool(
    function: str,
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None,
    pad: int | Sequence[int],
    cover_all: bool,
    return_indices: bool,
    n_axes: int,
) -> Variable | tuple[Variable, Array]:
    window = Window.over(function, x, ksize, stride, pad, cover_all, n_axes)
    y = MaxPooling(window).apply((x,))[0]
    if return_indices:
        return y, _first_largest(as_array(x), y.array, window).astype(int)
    return y


def _forward(x: Array, window: Window) -> Array:
    """The largest element, as a maximum over one shifted image per window element."""
    xp = get_array_module(x)
    padded = window.pad_images(xp, x, -xp.inf)
    elements = window.elements()
    y = xp.copy(padded[next(elements)])
    for element in elements:
        y = xp.maximum(y, padded[element])
    return y


def _backward(x: Array, y: Array, gy: Array, window: Window) -> Array:
    """Add each gradient to the element it came from."""
    return _spread(gy, _first_largest(x, y, window), window)


MAX_POOLING = Operation("max_pooling", _forward, _backward, samples="renga_nn.functions.example_arguments:max_pooling")


def _first_largest(x: Array, y: Array, window: Window) -> Array:
    """The index of the largest element of each window, the first of ties; 0 if it is NaN."""
    xp = get_array_module(x)
    padded = window.pad_images(xp, x, -xp.inf)
    elements = list(window.elements())
    found = xp.zeros(y.shape, dtype=xp.uint8 if len(elements) <= 256 else xp.int32)
    for number in range(len(elements) - 1, -1, -1):
        found = xp.where(padded[elements[number]] == y, number, found)
    return found


def _spread(gy: Array, indexes: Array, window: Window) -> Array:
    """Make images of zeros, and add each element of `gy` at its window element in `indexes`."""
    xp = get_array_module(gy)
    gx = xp.zeros((*gy.shape[:2], *window.padded), dtype=gy.dtype)
    for number, element in enumerate(window.elements()):
        gx[element] += gy * (indexes == number)
    return window.crop_images(gx)


class MaxPooling(FunctionNode):
    """The largest element in each window."""

    fresh_gradients = True

    def __init__(self, window: Window) -> None:
        self.window = window

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Keep input and output, not indexes, because adjacent functions often keep them anyway."""
        (x,) = inputs
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        self._implementation = MAX_POOLING.select(get_backend(x), x, self.window)
        return (self._implementation.forward(x, self.window),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient flows to the elements that were selected."""
        assert self._implementation.backward is not None
        return (
            self._implementation.backward(self.saved_inputs[0], self.saved_outputs[0], grad_outputs[0], self.window),
        )

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable: indexes are constants."""
        indexes = _first_largest(self.saved_inputs[0], self.saved_outputs[0], self.window)
        return Spread(indexes, self.window).apply(grad_outputs)


class Spread(FunctionNode):
    """Put each element at its index: the gradient of max pooling, which is linear."""

    fresh_gradients = True

    def __init__(self, indexes: Array, window: Window) -> None:
        self.indexes = indexes
        self.window = window

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Add each element to one pixel."""
        return (_spread(inputs[0], self.indexes, self.window),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Take the element from that pixel."""
        return Pick(self.indexes, self.window).apply(grad_outputs)


class Pick(FunctionNode):
    """Select from each window the element at its index: the transpose of `Spread`."""

    fresh_gradients = True

    def __init__(self, indexes: Array, window: Window) -> None:
        self.indexes = indexes
        self.window = window

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Select."""
        (x,) = inputs
        xp = get_array_module(x)
        padded = self.window.pad_images(xp, x, 0)
        y = xp.zeros(self.indexes.shape, dtype=x.dtype)
        for number, element in enumerate(self.window.elements()):
            y += padded[element] * (self.indexes == number)
        return (y,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Put it back."""
        return Spread(self.indexes, self.window).apply(grad_outputs)
