"""Transposed convolution of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.connection.convolution import Deconvolution, Geometry, check_operands
from renga_nn.functions.connection.window import conv_outsize, deconv_outsize, per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["deconvolution_2d"]


def deconvolution_2d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    outsize: Sequence[int] | None = None,
    *,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """Paint filters into images: the transpose of `convolution_2d` (Zeiler et al. 2010), with its arguments.

    Args:
        x: Maps ``(N, C, H, W)``: how strongly to paint each filter, and where.
        W: Filters ``(C, O / groups, kh, kw)``.
        b: Bias ``(O,)``, or None.
        stride: Distance of neighbouring places to paint, in pixels of the result.
        pad: Width of the border that is cut off the result.
        outsize: Size ``(H', W')`` of the result. Several sizes are shrunk to one by a convolution with a stride; this
            says which was meant. Default: the smallest.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups into which the channels are divided.

    Returns:
        Variable ``(N, O, H', W')`` with ``H' = stride (H - 1) + (kh - 1) dilate + 1 - 2 pad``, unless `outsize` is
        given.

    Raises:
        InvalidType: Axes, channels or dtypes do not fit together, or nothing would be left of the result.
        ValueError: `stride`, `pad`, `dilate` or `groups` makes no sense, or no convolution maps `outsize` to the size
            of `x`.

    >>> import numpy as np
    >>> x = np.array([[[[1, 2]]]], np.float32)
    >>> deconvolution_2d(x, np.ones((1, 1, 1, 2), np.float32), stride=2).array.tolist()
    [[[[1.0, 1.0, 2.0, 2.0]]]]
    """
    geometry = Geometry(
        per_axis("deconvolution_2d", "stride", stride, 2),
        per_axis("deconvolution_2d", "pad", pad, 2, least=0),
        per_axis("deconvolution_2d", "dilate", dilate, 2),
        groups,
    )
    check_operands("deconvolution_2d", x, W, b, 2, groups, transposed=True)
    sizes = list(zip(x.shape[2:], W.shape[2:], geometry.stride, geometry.pad, geometry.dilate, strict=True))
    if outsize is None:
        size = tuple([deconv_outsize(n, k, s, p, d=d) for n, k, s, p, d in sizes])
        if min(size) < 1:
            raise InvalidType("deconvolution_2d", "x", f"maps that leave something after pad={pad}", describe_array(x))
    else:
        size = per_axis("deconvolution_2d", "outsize", tuple(outsize), 2)
        # A size is right if it is convolved to the size of x, with or without cover_all.
        for given, (n, k, s, p, d) in zip(size, sizes, strict=True):
            if n not in (conv_outsize(given, k, s, p, False, d), conv_outsize(given, k, s, p, True, d)):
                smallest = deconv_outsize(n, k, s, p, True, d)
                raise ValueError(
                    f"deconvolution_2d: outsize={size} does not fit x: {describe_array(x)}; an axis of {n} comes from "
                    f"one of {max(1, smallest)} to {smallest + 2 * s - 2}"
                )
    return Deconvolution(geometry, size).apply((x, W) if b is None else (x, W, b))[0]
