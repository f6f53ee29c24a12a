"""Unpooling: the transposes of pooling, which enlarge images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.configuration import config
from renga_core.graph import InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import require_array
from renga_nn.functions.pooling.max_pooling import Spread
from renga_nn.functions.pooling.window import Window
from renga_nn.functions.pooling.window_sum import WindowSpread

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["unpooling_1d", "unpooling_2d", "unpooling_3d", "unpooling_nd", "upsampling_2d"]


def unpooling_nd(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    outsize: int | Sequence[int] | None = None,
    cover_all: bool = True,
) -> Variable:
    """Copy each element's value to all elements of its window (Dosovitskiy et al. 2015); overlaps add up.

    Args:
        x: Batch ``(N, C, d1, ..., dn)``.
        ksize: Size of the window; one number, or one for each axis, as for `stride` and `pad`.
        stride: Step of the window; `ksize` if None.
        pad: Width of a border to cut off the result.
        outsize: Size of the result; None: the smallest possible size.
        cover_all: Whether the pooling to undo extended windows beyond the end; see `max_pooling_2d`.

    Returns:
        Variable ``(N, C, d1', ..., dn')`` with ``d' = stride (d - 1) + ksize - 2 pad``, or ``stride - 1`` less with
        `cover_all`.

    Raises:
        InvalidType: `x` is not floating, or has no axes after the second.
        ValueError: `ksize`, `stride`, `pad` or `outsize` is invalid, or pooling of `outsize` does not give the size of
            `x`.

    >>> import numpy as np
    >>> unpooling_nd(np.array([[[1.0, 2.0]]]), 2, cover_all=False).array.tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    require_array("unpooling_nd", "x", x)
    return _unpool("unpooling_nd", x, ksize, stride, pad, outsize, cover_all, x.ndim - 2)


def unpooling_1d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    outsize: int | Sequence[int] | None = None,
    cover_all: bool = True,
) -> Variable:
    """Unpool a series ``(N, C, L)``; see `unpooling_nd`.

    >>> import numpy as np
    >>> unpooling_1d(np.array([[[1.0, 2.0]]]), 3, 2, cover_all=False).array.tolist()
    [[[1.0, 1.0, 3.0, 2.0, 2.0]]]
    """
    return _unpool("unpooling_1d", x, ksize, stride, pad, outsize, cover_all, 1)


def unpooling_2d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    outsize: int | Sequence[int] | None = None,
    cover_all: bool = True,
) -> Variable:
    """Unpool images ``(N, C, H, W)``; see `unpooling_nd`.

    >>> import numpy as np
    >>> unpooling_2d(np.array([[[[1.0, 2.0]]]]), 2, outsize=(2, 4)).array.tolist()
    [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """
    return _unpool("unpooling_2d", x, ksize, stride, pad, outsize, cover_all, 2)


def unpooling_3d(
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    outsize: int | Sequence[int] | None = None,
    cover_all: bool = True,
) -> Variable:
    """Unpool volumes ``(N, C, D, H, W)``; see `unpooling_nd`.

    >>> import numpy as np
    >>> unpooling_3d(np.ones((1, 1, 2, 2, 3)), 2, cover_all=False).shape
    (1, 1, 4, 4, 6)
    """
    return _unpool("unpooling_3d", x, ksize, stride, pad, outsize, cover_all, 3)


def upsampling_2d(
    x: Any,
    indexes: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    pad: int | Sequence[int] = 0,
    outsize: int | Sequence[int] | None = None,
    cover_all: bool = True,
) -> Variable:
    """Put each element at the position of its window's maximum: undo `max_pooling_2d` (Badrinarayanan et al. 2015).

    Args:
        x: Images ``(N, C, H, W)``.
        indexes: Integers in the shape of `x`: the index in each window, from 0 to ``kh * kw - 1``, as `max_pooling_2d`
            returns them with ``return_indices=True``.
        ksize, stride, pad, outsize, cover_all: See `unpooling_nd`.

    Returns:
        Variable ``(N, C, H', W')``, zero elsewhere; several elements at one pixel add up.

    Raises:
        InvalidType: `x` does not contain floating images, or `indexes` are not integers in its shape.
        ValueError: See `unpooling_nd`; or an index is not below ``kh * kw`` (not checked if ``config.type_check`` is
            off).

    >>> import numpy as np
    >>> upsampling_2d(np.array([[[[5.0, 7.0]]]]), np.array([[[[1, 2]]]]), 2, cover_all=False).array.tolist()
    [[[[0.0, 5.0, 0.0, 0.0], [0.0, 0.0, 7.0, 0.0]]]]
    """
    window = Window.onto("upsampling_2d", x, ksize, stride, pad, outsize, cover_all, 2)
    require_array("upsampling_2d", "indexes", indexes)
    indexes = as_array(indexes)
    if indexes.dtype.kind not in "iu" or tuple(indexes.shape) != tuple(x.shape):
        raise InvalidType("upsampling_2d", "indexes", f"integers {tuple(x.shape)}, as x", describe_array(indexes))
    if config.type_check and indexes.size:
        low, high = int(indexes.min()), int(indexes.max())
        if low < 0 or high >= math.prod(window.ksize):
            raise ValueError(f"upsampling_2d: indexes from {low} to {high} in windows of {window.ksize}")
    return Spread(indexes, window).apply((x,))[0]


def _unpool(
    function: str,
    x: Any,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] | None,
    pad: int | Sequence[int],
    outsize: int | Sequence[int] | None,
    cover_all: bool,
    n_axes: int,
) -> Variable:
    window = Window.onto(function, x, ksize, stride, pad, outsize, cover_all, n_axes)
    return WindowSpread(window).apply((x,))[0]
