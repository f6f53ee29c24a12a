"""Convolution, transposed convolution, and similar operators."""

from __future__ import annotations

import math
from typing import Any

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import affordable, ints, raw, same_as
from renga_onnx.load.operators.windows import Windows

__all__: list[str] = []

Ints = list[int] | None


@operator("Conv")
def conv(
    x: Any,
    W: Any,
    b: Any = None,
    *,
    kernel_shape: Ints = None,
    strides: Ints = None,
    pads: Ints = None,
    dilations: Ints = None,
    auto_pad: str = "NOTSET",
    group: int = 1,
) -> Any:
    """Correlation with filters ``(O, C / group, ...)``."""
    windows = Windows.over(x.shape[2:], W.shape[2:], strides, pads, dilations, auto_pad)
    pad = windows.before
    if pad != windows.after or min(pad, default=0) < 0:
        border = [(0, 0), (0, 0), *zip(windows.before, windows.after, strict=True)]
        x, pad = F.pad(x, border, "constant"), (0,) * len(pad)
    return F.convolution_nd(x, W, b, windows.strides, pad, False, windows.dilations, group)


@operator("ConvTranspose")
def conv_transpose(
    x: Any,
    W: Any,
    b: Any = None,
    *,
    kernel_shape: Ints = None,
    strides: Ints = None,
    pads: Ints = None,
    dilations: Ints = None,
    auto_pad: str = "NOTSET",
    group: int = 1,
    output_padding: Ints = None,
    output_shape: Ints = None,
) -> Any:
    """Transposed convolution with filters ``(C, O / group, ...)``: the full result, cropped by its padding."""
    n = x.ndim - 2
    steps, gaps, extra = strides or [1] * n, dilations or [1] * n, output_padding or [0] * n
    parts = zip(x.shape[2:], steps, W.shape[2:], gaps, extra, strict=True)
    sides = [(size - 1) * t + (k - 1) * d + 1 + e for size, t, k, d, e in parts]
    channels = W.shape[1] * group
    affordable([x.shape[0], channels, *sides], x.dtype, x.size)
    before, after = (pads[:n], pads[n:]) if pads else ([0] * n, [0] * n)
    uneven = [e + p - q for e, p, q in zip(extra, before, after, strict=True)]
    if auto_pad == "NOTSET" and not output_shape and min(before) >= 0 and _is_within(uneven, steps):
        size = [full - p - q for full, p, q in zip(sides, before, after, strict=True)]
        return F.deconvolution_nd(x, W, b, steps, before, size, gaps, group)
    y = F.deconvolution_nd(x, W, None, steps, 0, None, gaps, group)
    y = F.pad(y, [(0, 0), (0, 0), *[(0, e) for e in extra]], "constant")
    border = list(pads or [0] * 2 * n)
    wanted = output_shape[-n:] if output_shape else None
    if wanted is None and auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [size * t for size, t in zip(x.shape[2:], steps, strict=True)]
    if wanted is not None:
        for i, (full, target) in enumerate(zip(y.shape[2:], wanted, strict=True)):
            excess = max(0, full - target)
            less, more = excess // 2, excess - excess // 2
            border[i], border[i + n] = (less, more) if auto_pad == "SAME_UPPER" else (more, less)
    if wanted is not None:
        missing = [max(0, target - full) for full, target in zip(y.shape[2:], wanted, strict=True)]
        affordable([x.shape[0], channels, *wanted], x.dtype, x.size)
        y = F.pad(y, [(0, 0), (0, 0), *[(0, m) for m in missing]], "constant")
    inside = [slice(border[i], full - border[i + n]) for i, full in enumerate(y.shape[2:])]
    y = y[(slice(None), slice(None), *inside)]
    return y if b is None else y + b.reshape((1, -1, *[1] * n))


def _is_within(numbers: list[int], limits: list[int]) -> bool:
    return all(0 <= number < limit for number, limit in zip(numbers, limits, strict=True))


@operator("Col2Im", host=(1, 2))
def col2im(
    x: Any,
    image_shape: Any,
    block_shape: Any,
    *,
    dilations: Ints = None,
    pads: Ints = None,
    strides: Ints = None,
) -> Any:
    """Sum columns ``(N, C * elements, places)`` into images, each element at its window position (col2im)."""
    size = affordable(ints(image_shape), x.dtype, x.size)
    numbers, within, _ = Windows.over(size, ints(block_shape), strides, pads, dilations, "NOTSET").places()
    xp, elements = get_array_module(x), numbers.shape[-1]
    numbers, within = [a.reshape(-1, elements).T for a in (numbers, within)]
    columns = x.reshape((x.shape[0], -1, *numbers.shape))
    blank = xp.zeros((*columns.shape[:2], math.prod(size)), dtype=x.dtype)
    places = (slice(None), slice(None), xp.asarray(numbers))
    return F.scatter_add(blank, places, columns * same_as(x, within)).reshape((*columns.shape[:2], *size))


@operator("DeformConv")
def deform_conv(
    x: Any,
    W: Any,
    offset: Any,
    b: Any = None,
    mask: Any = None,
    *,
    kernel_shape: Ints = None,
    strides: Ints = None,
    pads: Ints = None,
    dilations: Ints = None,
    group: int = 1,
    offset_group: int = 1,
) -> Any:
    """Deformable convolution of images: offsets move each element of a window (Dai et al. 2017).

    It interpolates between pixels, and pads with zeros; `mask` weighs the samples (Zhu et al. 2019).
    """
    if x.ndim != 4:
        raise NotImplementedError(f"DeformConv supports images only, not {x.ndim - 2} axes")
    windows = Windows.over(x.shape[2:], W.shape[2:], strides, pads, dilations, "NOTSET")
    n, c, height, width = x.shape
    xp, k, out = get_array_module(x), math.prod(windows.kernel), windows.out
    moved = offset.reshape((n, offset_group, k, 2, *out))
    rows, columns = [moved[:, :, :, axis] + same_as(x, windows.unclipped(axis).reshape((k, *out))) for axis in (0, 1)]
    images = x.reshape((n * offset_group, c // offset_group, height, width)).transpose((0, 2, 3, 1))
    which = xp.arange(n * offset_group).reshape((n, offset_group, 1, 1, 1))
    seen: Any = None
    for row, row_share in _next_to(rows):
        for column, column_share in _next_to(columns):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            at = [xp.clip(p, 0, size - 1).astype(int) for p, size in ((row, height), (column, width))]
            term = images[(which, *at)] * (row_share * column_share * inside.astype(x.dtype)).reshape((*row.shape, 1))
            seen = term if seen is None else seen + term
    if mask is not None:
        seen = seen * mask.reshape((n, offset_group, k, *out, 1))
    # (n, offset groups, k, *out, channels) as (n, groups, channels and k of a group, places)
    seen = seen.transpose((0, 1, 5, 2, 3, 4)).reshape((n, group, c // group * k, math.prod(out)))
    filters = W.reshape((1, group, W.shape[0] // group, -1))
    y = F.matmul(F.broadcast_to(filters, (n, *filters.shape[1:])), seen).reshape((n, W.shape[0], *out))
    return y if b is None else y + b.reshape((1, -1, 1, 1))


def _next_to(at: Any) -> list[tuple[Any, Any]]:
    """Return the pixels before and after positions along an axis, with their weights."""
    low = get_array_module(at).floor(raw(at))
    return [(low, 1 - (at - low)), (low + 1, at - low)]
