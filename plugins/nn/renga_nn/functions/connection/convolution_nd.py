"""Convolution over one axis, three, or any number of them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.connection.convolution import Convolution, Geometry, check_operands
from renga_nn.functions.window import conv_outsize, per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["convolution_1d", "convolution_3d", "convolution_nd", "convolve"]


def convolution_nd(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    cover_all: bool = False,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """Convolution over any number of axes: as many as `x` has after the first two.

    Args:
        x: Images ``(N, C, *size)``.
        W: Filters ``(O, C / groups, *ksize)``.
        b: Bias ``(O,)``, or None.
        stride: Step of the window; one number, or one for each axis, as for `pad` and `dilate`.
        pad: Width of the border of zeros around each image.
        cover_all: Let windows extend beyond the border at the end, so that each element is covered. The result may be
            larger.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups into which the channels are divided.

    Returns:
        Variable ``(N, O, *out)``; each size of `out` is ``(size + 2 pad - (k - 1) dilate - 1) // stride + 1``, rounded
        up with `cover_all`.

    Raises:
        InvalidType: Axes, channels or dtypes do not fit together, or the filters are larger than the padded image.
        ValueError: `stride`, `pad`, `dilate` or `groups` is invalid.

    >>> import numpy as np
    >>> x = np.ones((1, 1, 2, 3, 4, 5), np.float32)
    >>> convolution_nd(x, np.ones((2, 1, 2, 2, 2, 2), np.float32)).shape
    (1, 2, 1, 2, 3, 4)
    """
    return convolve("convolution_nd", None, x, W, b, stride, pad, cover_all, dilate, groups)


def convolution_1d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    cover_all: bool = False,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """`convolution_nd` over one axis: sequences ``(N, C, L)`` with filters ``(O, C / groups, k)``.

    >>> import numpy as np
    >>> x = np.array([[[1, 2, 3, 4]]], np.float32)
    >>> convolution_1d(x, np.array([[[1, -1]]], np.float32), pad=1).array.tolist()
    [[[-1.0, -1.0, -1.0, -1.0, 4.0]]]
    """
    return convolve("convolution_1d", 1, x, W, b, stride, pad, cover_all, dilate, groups)


def convolution_3d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    cover_all: bool = False,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """`convolution_nd` over three axes: volumes ``(N, C, D, H, W)`` with filters ``(O, C / groups, kd, kh, kw)``.

    >>> import numpy as np
    >>> x = np.ones((1, 1, 2, 2, 2), np.float32)
    >>> convolution_3d(x, np.ones((1, 1, 2, 2, 2), np.float32)).array.tolist()
    [[[[[8.0]]]]]
    """
    return convolve("convolution_3d", 3, x, W, b, stride, pad, cover_all, dilate, groups)


def convolve(
    function: str,
    n_axes: int | None,
    x: Any,
    W: Any,
    b: Any,
    stride: int | Sequence[int],
    pad: int | Sequence[int],
    cover_all: bool,
    dilate: int | Sequence[int],
    groups: int,
) -> Variable:
    """Check the arguments of `convolution_nd`, and apply the node.

    Args:
        function: Its name, for messages.
        n_axes: Number of spatial axes that `x` must have; None: any, at least one.
    """
    axes = check_operands(function, x, W, b, n_axes, groups)
    geometry = Geometry(
        per_axis(function, "stride", stride, axes),
        per_axis(function, "pad", pad, axes, least=0),
        per_axis(function, "dilate", dilate, axes),
        index(groups),
    )
    sizes = zip(x.shape[2:], W.shape[2:], geometry.stride, geometry.pad, geometry.dilate, strict=True)
    out = tuple([conv_outsize(n, k, s, p, cover_all, d) for n, k, s, p, d in sizes])
    if min(out) < 1:
        raise InvalidType(function, "x", f"images that W: {describe_array(W)} fits into", describe_array(x))
    return Convolution(geometry, out).apply((x, W) if b is None else (x, W, b))[0]
