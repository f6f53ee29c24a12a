"""Convolution with separate filters for each position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, is_floating
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import matmul, reshape, transpose
from renga_nn.functions.array.cast import cast
from renga_nn.functions.array.im2col import im2col
from renga_nn.functions.checks import require_array
from renga_nn.functions.window import conv_outsize, per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["local_convolution_2d"]


def local_convolution_2d(x: Any, W: Any, b: Any = None, stride: int | Sequence[int] = 1) -> Variable:
    """`convolution_2d` with separate filters and biases for each position of the window (no weight sharing).

    ``y[n, o, i, j] = b[o, i, j] + sum over c, k, l of x[n, c, stride i + k, stride j + l] * W[o, i, j, c, k, l]``

    Args:
        x: Images ``(N, C, H, W)``.
        W: Filters ``(O, H', W', C, kh, kw)``.
        b: Biases ``(O, H', W')``, or None.
        stride: Step of the window; one number, or a pair.

    Returns:
        Variable ``(N, O, H', W')`` in the dtype of `x`, with ``H' = (H - kh) // stride + 1``.

    Raises:
        InvalidType: Axes, sizes or dtypes do not fit together.
        ValueError: `stride` is invalid.

    >>> import numpy as np
    >>> x, W = np.array([[[[1.0, 2.0, 3.0]]]]), np.array([1.0, 10.0, 100.0])
    >>> local_convolution_2d(x, W.reshape(1, 1, 3, 1, 1, 1)).array.tolist()
    [[[[1.0, 20.0, 300.0]]]]
    """
    for name, value, axes in (("x", x, 4), ("W", W, 6)):
        require_array("local_convolution_2d", name, value)
        if value.ndim != axes or not is_floating(value.dtype):
            expected = f"{axes} axes and a floating dtype"
            raise InvalidType("local_convolution_2d", name, expected, describe_array(value))
    steps = per_axis("local_convolution_2d", "stride", stride, 2)
    filters, ksize = W.shape[0], W.shape[4:]
    out = tuple([conv_outsize(n, k, s, 0) for n, k, s in zip(x.shape[2:], ksize, steps, strict=True)])
    if tuple(W.shape[1:4]) != (*out, x.shape[1]):
        expected = f"shape (O, {out[0]}, {out[1]}, {x.shape[1]}, kh, kw), to fit x: {describe_array(x)}"
        raise InvalidType("local_convolution_2d", "W", expected, describe_array(W))
    if b is not None:
        require_array("local_convolution_2d", "b", b)
        if tuple(b.shape) != (filters, *out):
            raise InvalidType("local_convolution_2d", "b", f"shape {(filters, *out)}", describe_array(b))
    # A matrix product for each position: the window contents of all images times the filters.
    places = out[0] * out[1]
    seen = im2col(x, ksize, steps)
    seen = Transposed((2, 0, 1)).apply((reshape(seen, (x.shape[0], seen.shape[1], places)),))[0]
    weights = transpose(reshape(W, (filters, places, seen.shape[2])), (1, 2, 0))
    y = Transposed((1, 2, 0)).apply((matmul(seen, weights),))[0]
    y = reshape(y, (x.shape[0], filters, *out))
    return cast(y if b is None else y + b, x.dtype)


class Transposed(FunctionNode):
    """Transpose, and copy the elements, because products of non-contiguous matrices are slow."""

    fresh_gradients = True

    def __init__(self, axes: tuple[int, ...]) -> None:
        self.axes = axes

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return a copy, never a view."""
        return (inputs[0].transpose(self.axes).copy(),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Transpose back."""
        return Transposed(tuple([self.axes.index(a) for a in range(len(self.axes))])).apply(grad_outputs)
