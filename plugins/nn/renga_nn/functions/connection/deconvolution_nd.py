"""Transposed convolution over any number of axes."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.connection.convolution import Deconvolution, Geometry, check_operands
from renga_nn.functions.window import conv_outsize, deconv_outsize, per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["deconvolution_1d", "deconvolution_3d", "deconvolution_nd", "deconvolve"]


def deconvolution_nd(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    outsize: int | Sequence[int] | None = None,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """Transposed convolution over any number of axes: the transpose of `convolution_nd`.

    Args:
        x: Maps ``(N, C, *size)``.
        W: Filters ``(C, O / groups, *ksize)``.
        b: Bias ``(O,)``, or None.
        stride: Distance between neighbouring filters in the result; one number, or one for each axis, as for `pad` and
            `dilate`.
        pad: Width of the border to cut off the result.
        outsize: Size of the result along each axis. Default: the smallest that a convolution maps to the size of `x`.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups into which the channels are divided.

    Returns:
        Variable ``(N, O, *out)``; each size of `out` is ``stride (size - 1) + (k - 1) dilate + 1 - 2 pad``, unless
        `outsize` is given.

    Raises:
        InvalidType: Axes, channels or dtypes do not fit together, or the result would be empty.
        ValueError: `stride`, `pad`, `dilate` or `groups` is invalid, or no convolution maps `outsize` to the size
            of `x`.

    >>> import numpy as np
    >>> x = np.ones((1, 2, 1, 2, 3, 4), np.float32)
    >>> deconvolution_nd(x, np.ones((2, 1, 2, 2, 2, 2), np.float32)).shape
    (1, 1, 2, 3, 4, 5)
    """
    return deconvolve("deconvolution_nd", None, x, W, b, stride, pad, outsize, dilate, groups)


def deconvolution_1d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    outsize: int | Sequence[int] | None = None,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """`deconvolution_nd` over one axis: maps ``(N, C, L)`` with filters ``(C, O / groups, k)``.

    >>> import numpy as np
    >>> x = np.array([[[1, 2, 3]]], np.float32)
    >>> deconvolution_1d(x, np.array([[[1, -1]]], np.float32), stride=2).array.tolist()
    [[[1.0, -1.0, 2.0, -2.0, 3.0, -3.0]]]
    """
    return deconvolve("deconvolution_1d", 1, x, W, b, stride, pad, outsize, dilate, groups)


def deconvolution_3d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    outsize: int | Sequence[int] | None = None,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """`deconvolution_nd` over three axes: maps ``(N, C, D, H, W)`` with filters ``(C, O / groups, kd, kh, kw)``.

    >>> import numpy as np
    >>> x = np.ones((1, 1, 1, 1, 2), np.float32)
    >>> deconvolution_3d(x, np.ones((1, 1, 1, 1, 2), np.float32)).array.tolist()
    [[[[[1.0, 2.0, 1.0]]]]]
    """
    return deconvolve("deconvolution_3d", 3, x, W, b, stride, pad, outsize, dilate, groups)


def deconvolve(
    function: str,
    n_axes: int | None,
    x: Any,
    W: Any,
    b: Any,
    stride: int | Sequence[int],
    pad: int | Sequence[int],
    outsize: int | Sequence[int] | None,
    dilate: int | Sequence[int],
    groups: int,
) -> Variable:
    """Check the arguments of `deconvolution_nd`, and apply the node.

    Args:
        function: Its name, for messages.
        n_axes: Number of spatial axes that `x` must have; None: any, at least one.
    """
    axes = check_operands(function, x, W, b, n_axes, groups, transposed=True)
    geometry = Geometry(
        per_axis(function, "stride", stride, axes),
        per_axis(function, "pad", pad, axes, least=0),
        per_axis(function, "dilate", dilate, axes),
        index(groups),
    )
    sizes = list(zip(x.shape[2:], W.shape[2:], geometry.stride, geometry.pad, geometry.dilate, strict=True))
    if outsize is None:
        size = tuple([deconv_outsize(n, k, s, p, d=d) for n, k, s, p, d in sizes])
        if min(size) < 1:
            raise InvalidType(function, "x", f"maps that leave something after pad={pad}", describe_array(x))
    else:
        size = per_axis(function, "outsize", outsize, axes)
        # A size is valid if a convolution maps it to the size of x, with or without cover_all.
        for given, (n, k, s, p, d) in zip(size, sizes, strict=True):
            if n not in (conv_outsize(given, k, s, p, False, d), conv_outsize(given, k, s, p, True, d)):
                smallest = deconv_outsize(n, k, s, p, True, d)
                expected = f"{max(1, smallest)} to {smallest + 2 * s - 2} where x has {n}: x is {describe_array(x)}"
                raise InvalidType(function, "outsize", expected, str(size))
    return Deconvolution(geometry, size).apply((x, W) if b is None else (x, W, b))[0]
