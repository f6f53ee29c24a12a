"""Depthwise convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import is_floating
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape, transpose
from renga_nn.functions.checks import require_array
from renga_nn.functions.connection.convolution_nd import convolve

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["depthwise_convolution_2d"]


def depthwise_convolution_2d(
    x: Any, W: Any, b: Any = None, stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0
) -> Variable:
    """Convolve each channel of images separately (Chollet 2017): a `convolution_2d` with one group per channel.

    ``y[n, c * M + m] = b[c * M + m] + x[n, c] * W[m, c]``, where `*` is cross-correlation.

    Args:
        x: Images ``(N, C, H, W)``.
        W: Filters ``(M, C, kh, kw)``: `M` per channel.
        b: Bias ``(C * M,)``, or None.
        stride: Step of the window; one number, or one for each axis, as for `pad`.
        pad: Width of the border of zeros around each image.

    Returns:
        Variable ``(N, C * M, H', W')`` with ``H' = (H + 2 pad - kh) // stride + 1``.

    Raises:
        InvalidType: Axes, channels or dtypes do not fit together, or the filters are larger than the padded image.
        ValueError: `stride` or `pad` is invalid.

    >>> import numpy as np
    >>> x = np.array([[[[1, 2]], [[3, 4]]]], np.float32)
    >>> W = np.array([[[[1]], [[1]]], [[[10]], [[20]]]], np.float32)
    >>> depthwise_convolution_2d(x, W).array.tolist()
    [[[[1.0, 2.0]], [[10.0, 20.0]], [[3.0, 4.0]], [[60.0, 80.0]]]]
    """
    for name, value in (("x", x), ("W", W)):
        require_array("depthwise_convolution_2d", name, value)
    if x.ndim != 4 or not is_floating(x.dtype):
        raise InvalidType("depthwise_convolution_2d", "x", "4 axes and a floating dtype", describe_array(x))
    channels = x.shape[1]
    if W.ndim != 4 or not is_floating(W.dtype) or W.shape[1] != channels or channels == 0:
        expected = f"floating, of shape (M, {max(channels, 1)}, kh, kw), to fit x: {describe_array(x)}"
        raise InvalidType("depthwise_convolution_2d", "W", expected, describe_array(W))
    filters = reshape(transpose(W, (1, 0, 2, 3)), (W.shape[0] * channels, 1, *W.shape[2:]))
    return convolve("depthwise_convolution_2d", 2, x, filters, b, stride, pad, False, 1, channels)
