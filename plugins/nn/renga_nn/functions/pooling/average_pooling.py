"""Average pooling over windows, for any number of axes, and over whole images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import mean
from renga_nn.functions.checks import as_number, require_array
from renga_nn.functions.pooling.window import Window
from renga_nn.functions.pooling.window_sum import WindowSum

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = [
    "average_pooling_1d",
    "average_pooling_2d",
    "average_pooling_3d",
    "average_pooling_nd",
    "global_average_pooling_2d",
]


def average_pooling_nd(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    pad_value: int | None = 0,
) -> Variable:
    """The mean of each window over any number of axes.

    Args:
        x: Batch ``(N, C, d1, ..., dn)``.
        ksize: Size of the window; one number, or one for each axis, as for `stride` and `pad`.
        stride: Step of the window; `ksize` if None.
        pad: Width of a border.
        pad_value: 0: the border counts as zeros; None: the mean is over the elements inside only.

    Returns:
        Variable ``(N, C, d1', ..., dn')`` with ``d' = (d + 2 pad - ksize) // stride + 1``.

    Raises:
        InvalidType: `x` is not floating, has no axes after the second, or is smaller than the window.
        ValueError: `ksize`, `stride`, `pad` or `pad_value` is invalid.

    >>> import numpy as np
    >>> x = np.array([[[3.0, 6.0, 9.0]]])
    >>> average_pooling_nd(x, 3, 2, pad=1).array.tolist()
    [[[3.0, 5.0]]]
    >>> average_pooling_nd(x, 3, 2, pad=1, pad_value=None).array.tolist()
    [[[4.5, 7.5]]]
    """
    require_array("average_pooling_nd", "x", x)
    return _pool("average_pooling_nd", x, ksize, stride, pad, pad_value, x.ndim - 2)


def average_pooling_1d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    pad_value: int | None = 0,
) -> Variable:
    """The mean of each window of a series ``(N, C, L)``; see `average_pooling_nd`.

    >>> import numpy as np
    >>> average_pooling_1d(np.array([[[1.0, 3.0, 5.0, 9.0]]]), 2).array.tolist()
    [[[2.0, 7.0]]]
    """
    return _pool("average_pooling_1d", x, ksize, stride, pad, pad_value, 1)


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
        ValueError: `ksize`, `stride` or `pad` is invalid.

    >>> import numpy as np
    >>> average_pooling_2d(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4), 2).array.tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """
    return _pool("average_pooling_2d", x, ksize, stride, pad, 0, 2)


def average_pooling_3d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    pad_value: int | None = 0,
) -> Variable:
    """The mean of each window of a volume ``(N, C, D, H, W)``; see `average_pooling_nd`.

    >>> import numpy as np
    >>> average_pooling_3d(np.ones((1, 2, 4, 4, 6)), 2).shape
    (1, 2, 2, 2, 3)
    """
    return _pool("average_pooling_3d", x, ksize, stride, pad, pad_value, 3)


def global_average_pooling_2d(x: Any) -> Variable:
    """The mean of each whole image (Lin et al. 2013, 3.2): from ``(N, C, H, W)`` to ``(N, C)``.

    Raises:
        InvalidType: `x` does not have four axes.

    >>> import numpy as np
    >>> global_average_pooling_2d(np.ones((1, 2, 3, 3), np.float32)).array.tolist()
    [[1.0, 1.0]]
    """
    require_array("global_average_pooling_2d", "x", x)
    if x.ndim != 4:
        raise InvalidType("global_average_pooling_2d", "x", "4 axes", describe_array(x))
    return mean(x, (2, 3))


def _pool(
    function: str,
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None,
    pad: int | Sequence[int],
    pad_value: int | None,
    n_axes: int,
) -> Variable:
    if pad_value is not None and as_number(function, "pad_value", pad_value) != 0:
        raise ValueError(f"{function}: pad_value must be 0 or None, not {pad_value!r}")
    window = Window.over(function, x, ksize, stride, pad, False, n_axes)
    if pad_value == 0 or not any(window.pad):
        return WindowSum(window, 1.0 / math.prod(window.ksize)).apply((x,))[0]
    return WindowSum(window, _shares(get_array_module(x), window, x.dtype)).apply((x,))[0]


def _shares(xp: Any, window: Window, dtype: Any) -> Array:
    """For each position of the window, the reciprocal of the number of elements inside the border."""
    shares = xp.full((1,) * len(window.ksize), 1.0, dtype=dtype)
    axes = zip(window.ksize, window.stride, window.pad, window.size, window.out, strict=True)
    for axis, (k, s, p, n, out) in enumerate(axes):
        starts = [i * s - p for i in range(out)]
        counts = [1.0 / (min(start + k, n) - max(start, 0)) for start in starts]
        along = [1] * len(window.ksize)
        along[axis] = out
        shares = shares * xp.asarray(counts, dtype=dtype).reshape(*along)
    return shares
