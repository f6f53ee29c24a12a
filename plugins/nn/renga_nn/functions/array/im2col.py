"""Sliding windows over images, as columns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module, is_floating
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import require_array
from renga_nn.functions.window import conv_outsize, per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["im2col"]


def im2col(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    cover_all: bool = False,
    dilate: int | Sequence[int] = 1,
) -> Variable:
    """The contents of a sliding window at each position, as columns: convolution is a product with this matrix.

    Args:
        x: Images ``(N, C, H, W)``.
        ksize: Size of the window; one number, or one for each axis, as for the other arguments.
        stride: Step of the window, in pixels.
        pad: Width of the border of zeros around each image.
        cover_all: Let windows extend beyond the border at the end, so that each pixel is covered. The result may be
            larger.
        dilate: Distance between neighbouring elements of the window.

    Returns:
        Variable ``(N, C * kh * kw, H', W')`` with ``H' = (H + 2 pad - (kh - 1) dilate - 1) // stride + 1``, rounded up
        with `cover_all`.

    Raises:
        InvalidType: `x` does not contain floating images, or they are smaller than the window.
        ValueError: `ksize`, `stride`, `pad` or `dilate` is invalid.

    >>> import numpy as np
    >>> x = np.array([[[[1, 2, 3], [4, 5, 6]]]], np.float32)
    >>> im2col(x, 2).array.tolist()
    [[[[1.0, 2.0]], [[2.0, 3.0]], [[4.0, 5.0]], [[5.0, 6.0]]]]
    """
    require_array("im2col", "x", x)
    if x.ndim != 4 or not is_floating(x.dtype):
        raise InvalidType("im2col", "x", "4 axes and a floating dtype", describe_array(x))
    window = Window(
        per_axis("im2col", "ksize", ksize, 2),
        per_axis("im2col", "stride", stride, 2),
        per_axis("im2col", "pad", pad, 2, least=0),
        per_axis("im2col", "dilate", dilate, 2),
    )
    out = window.positions(x.shape[2:], cover_all)
    if min(out) < 1:
        raise InvalidType("im2col", "x", f"images that a window of {window.ksize} fits into", describe_array(x))
    return Im2Col(window, out).apply((x,))[0]


@dataclass(frozen=True, slots=True)
class Window:
    """Parameters of the sliding window, one number per axis."""

    ksize: tuple[int, ...]
    stride: tuple[int, ...]
    pad: tuple[int, ...]
    dilate: tuple[int, ...]

    def positions(self, size: Sequence[int], cover_all: bool) -> tuple[int, ...]:
        """Number of positions over images of `size`."""
        axes = zip(size, self.ksize, self.stride, self.pad, self.dilate, strict=True)
        return tuple([conv_outsize(n, k, s, p, cover_all, d) for n, k, s, p, d in axes])

    def padded(self, size: Sequence[int], out: Sequence[int]) -> tuple[int, ...]:
        """Size of the padded images that the windows cover."""
        axes = zip(size, out, self.ksize, self.stride, self.pad, self.dilate, strict=True)
        return tuple([max(n + p, (o - 1) * s + (k - 1) * d + 1) for n, o, k, s, p, d in axes])

    def inside(self, size: Sequence[int]) -> tuple[Any, ...]:
        """The index of the images inside the border."""
        return (..., *[slice(p, p + n) for p, n in zip(self.pad, size, strict=True)])

    def elements(self, out: Sequence[int]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """The number of each element of the window, and the index of the pixels it covers."""
        for i, offset in enumerate(itertools.product(*map(range, self.ksize))):
            axes = zip(offset, out, self.stride, self.dilate, strict=True)
            yield i, (..., *[slice(k * d, k * d + (o - 1) * s + 1, s) for k, o, s, d in axes])


class Im2Col(FunctionNode):
    """From images to columns, for `out` window positions. It is linear and keeps nothing."""

    fresh_gradients = True

    def __init__(self, window: Window, out: tuple[int, ...]) -> None:
        self.window = window
        self.out = out

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Copy the pixels under each element of the window."""
        (x,) = inputs
        xp, size = get_array_module(x), x.shape[2:]
        images = xp.zeros((*x.shape[:2], *self.window.padded(size, self.out)), dtype=x.dtype)
        images[self.window.inside(size)] = x
        elements = math.prod(self.window.ksize)
        columns = xp.empty((*x.shape[:2], elements, *self.out), dtype=x.dtype)
        for i, seen in self.window.elements(self.out):
            columns[:, :, i] = images[seen]
        return (columns.reshape(x.shape[0], x.shape[1] * elements, *self.out),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient of a pixel is the sum over all windows that contain it."""
        return Col2Im(self.window, self.inputs[0].shape[2:]).apply(grad_outputs)


class Col2Im(FunctionNode):
    """From columns to images of `size`, adding overlapping windows: the transpose of `Im2Col`."""

    fresh_gradients = True

    def __init__(self, window: Window, size: tuple[int, ...]) -> None:
        self.window = window
        self.size = size

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Add the columns of each element of the window."""
        (y,) = inputs
        out, elements = y.shape[2:], math.prod(self.window.ksize)
        columns = y.reshape(y.shape[0], y.shape[1] // elements, elements, *out)
        images = get_array_module(y).zeros((*columns.shape[:2], *self.window.padded(self.size, out)), dtype=y.dtype)
        for i, seen in self.window.elements(out):
            images[seen] += columns[:, :, i]
        return (images[self.window.inside(self.size)],)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The columns."""
        return Im2Col(self.window, self.inputs[0].shape[2:]).apply(grad_outputs)
