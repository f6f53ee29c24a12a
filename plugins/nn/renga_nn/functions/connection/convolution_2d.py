"""Convolution of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.connection.convolution import Convolution, Geometry, check_operands
from renga_nn.functions.connection.window import conv_outsize, per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["convolution_2d"]


def convolution_2d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    cover_all: bool = False,
    *,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """Slide filters over images: ``y[n, o] = b[o] + sum over c of x[n, c] * W[o, c]``, `*` being cross-correlation.

    Args:
        x: Images ``(N, C, H, W)``.
        W: Filters ``(O, C / groups, kh, kw)``.
        b: Bias ``(O,)``, or None.
        stride: Step of the window, in pixels; one number, or one for each axis, as for `pad` and `dilate`.
        pad: Width of the border of zeros around each image.
        cover_all: Let windows reach beyond the border at the end, so that each pixel is seen. The result may be larger.
        dilate: Distance between neighbouring elements of a filter (Yu & Koltun 2016).
        groups: Number of groups into which the channels are divided; each sees its own filters only (Krizhevsky et al.
            2012).

    Returns:
        Variable ``(N, O, H', W')`` with ``H' = (H + 2 pad - (kh - 1) dilate - 1) // stride + 1``, rounded up with
        `cover_all`.

    Raises:
        InvalidType: Axes, channels or dtypes do not fit together, or the filters are larger than the padded image.
        ValueError: `stride`, `pad`, `dilate` or `groups` makes no sense.

    >>> import numpy as np
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> convolution_2d(x, np.ones((1, 1, 3, 3), np.float32), pad=1, stride=2).array.tolist()
    [[[[10.0, 24.0], [51.0, 90.0]]]]
    """
    geometry = Geometry(
        per_axis("convolution_2d", "stride", stride, 2),
        per_axis("convolution_2d", "pad", pad, 2, least=0),
        per_axis("convolution_2d", "dilate", dilate, 2),
        groups,
    )
    check_operands("convolution_2d", x, W, b, 2, groups)
    sizes = zip(x.shape[2:], W.shape[2:], geometry.stride, geometry.pad, geometry.dilate, strict=True)
    out = tuple([conv_outsize(n, k, s, p, cover_all, d) for n, k, s, p, d in sizes])
    if min(out) < 1:
        raise InvalidType("convolution_2d", "x", f"images that W: {describe_array(W)} fits into", describe_array(x))
    return Convolution(geometry, out).apply((x, W) if b is None else (x, W, b))[0]
