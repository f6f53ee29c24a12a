"""Deformable convolution, whose window elements are moved at each position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import get_array_module, is_floating
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast, matmul, reshape, transpose
from renga_nn.functions.array.spatial_transformer import interpolate
from renga_nn.functions.checks import require_array
from renga_nn.functions.connection.convolution import check_operands
from renga_nn.functions.window import conv_outsize, per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["deformable_convolution_2d_sampler"]


def deformable_convolution_2d_sampler(
    x: Any, offset: Any, W: Any, b: Any = None, stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0
) -> Variable:
    """`convolution_2d` whose window elements are moved by offsets at each position (Dai et al. 2017, eq. 2).

    Between pixels the images are interpolated bilinearly; outside their border they are zero. Half precision is
    interpolated in float32.

    Args:
        x: Images ``(N, C, H, W)``.
        offset: Offsets in pixels, ``(N, 2 * kh * kw, H', W')``: first to the right, for all elements of the window in
            row-major order, then down.
        W: Filters ``(O, C, kh, kw)``.
        b: Bias ``(O,)``, or None.
        stride: Step of the window; one number, or one for each axis, as for `pad`.
        pad: Width of the border of zeros around each image.

    Returns:
        Variable ``(N, O, H', W')`` with ``H' = (H + 2 pad - kh) // stride + 1``. Differentiable with respect to
        `offset`, too.

    Raises:
        InvalidType: Axes, sizes or dtypes do not fit together.
        ValueError: `stride` or `pad` is invalid.

    >>> import numpy as np
    >>> x, W = np.array([[[[1.0, 2.0, 4.0]]]]), np.ones((1, 1, 1, 1))
    >>> right, down = np.array([0.5, 1.0, 1.0]), np.array([0.0, 0.0, 0.0])
    >>> deformable_convolution_2d_sampler(x, np.stack([right, down]).reshape(1, 2, 1, 3), W).array.tolist()
    [[[[1.5, 4.0, 0.0]]]]
    """
    function = "deformable_convolution_2d_sampler"
    check_operands(function, x, W, b, 2, 1)
    require_array(function, "offset", offset)
    steps, border = per_axis(function, "stride", stride, 2), per_axis(function, "pad", pad, 2, least=0)
    (n, channels), (filters, _, *ksize) = x.shape[:2], W.shape
    out = tuple([conv_outsize(*sizes) for sizes in zip(x.shape[2:], ksize, steps, border, strict=True)])
    elements = ksize[0] * ksize[1]
    if min(out) < 1:
        raise InvalidType(function, "x", f"images that W: {describe_array(W)} fits into", describe_array(x))
    if tuple(offset.shape) != (n, 2 * elements, *out) or not is_floating(offset.dtype):
        expected = f"floating, of shape {(n, 2 * elements, *out)}, to fit x: {describe_array(x)}"
        raise InvalidType(function, "offset", expected, describe_array(offset))
    wide = np.promote_types(np.promote_types(x.dtype, offset.dtype), np.float32)
    moved = transpose(cast(offset, wide), (0, 2, 3, 1))
    rows, columns = np.meshgrid(*map(np.arange, ksize), indexing="ij")
    at_rows = (np.arange(out[0]) * steps[0] - border[0])[:, None, None] + rows.reshape(-1)
    at_columns = (np.arange(out[1]) * steps[1] - border[1])[:, None] + columns.reshape(-1)
    xp = get_array_module(x)
    seen = interpolate(
        cast(x, wide),
        moved[..., :elements] + xp.asarray(at_columns, dtype=wide),
        moved[..., elements:] + xp.asarray(at_rows, dtype=wide),
    )
    matrix = reshape(cast(seen, x.dtype), (-1, elements * channels))
    y = matmul(matrix, reshape(transpose(W, (2, 3, 1, 0)), (elements * channels, filters)))
    if b is not None:
        y = y + b
    return transpose(reshape(y, (n, *out, filters)), (0, 3, 1, 2))
