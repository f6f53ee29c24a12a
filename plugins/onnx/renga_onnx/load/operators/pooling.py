"""Pooling of windows and regions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_core.backend import get_array_module, get_backend
from renga_core.graph import Variable
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import affordable, ints, is_float, raw, same_as
from renga_onnx.load.operators.windows import Windows

__all__: list[str] = []

Ints = list[int] | None


@operator("MaxPool", count="outputs")
def max_pool(
    x: Any,
    *,
    kernel_shape: list[int],
    strides: Ints = None,
    pads: Ints = None,
    dilations: Ints = None,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    storage_order: int = 0,
    outputs: int = 1,
) -> Any:
    """Maximum of each window, and optionally its index in the flat input."""
    windows = Windows.over(x.shape[2:], kernel_shape, strides, pads, dilations, auto_pad, ceil_mode)
    if is_float(x) and windows.plain and outputs == 1:
        return F.max_pooling_nd(x, windows.kernel, windows.strides, windows.before, cover_all=False)
    return _max_pool(x, windows, storage_order)


def _max_pool(x: Any, windows: Windows, storage_order: int) -> tuple[Any, Any]:
    array, xp = raw(x), get_array_module(x)
    numbers, within, _ = windows.places()
    flat = array.reshape((*array.shape[:2], -1))
    lowest = -np.inf if is_float(x) else np.iinfo(array.dtype).min
    seen = xp.where(xp.asarray(within), flat[:, :, xp.asarray(numbers)], xp.asarray(lowest, dtype=array.dtype))
    chosen = xp.asarray(numbers).reshape(-1)[
        xp.argmax(seen, axis=-1) + (xp.arange(math.prod(windows.out)) * numbers.shape[-1]).reshape(windows.out)
    ]
    images = xp.arange(array.shape[0] * array.shape[1]).reshape((*array.shape[:2], *[1] * len(windows.out)))
    indices = chosen + images * flat.shape[2]
    y = x.reshape(-1)[indices]
    if storage_order:
        places = np.unravel_index(get_backend(chosen).to_host(chosen), windows.size)
        turned = np.ravel_multi_index(places[::-1], windows.size[::-1])
        indices = xp.asarray(turned) + images * flat.shape[2]
    return y, indices.astype(np.int64)


def _seen(x: Any, windows: Windows) -> tuple[Any, Any]:
    """Elements of each window ``(N, C, *out, elements)``, zeros in the padding; and a mask of those that count."""
    numbers, within, counted = windows.places()
    xp = get_array_module(x)
    values = x.reshape((*x.shape[:2], -1))[:, :, xp.asarray(numbers)]
    return values * xp.asarray(within, dtype=x.dtype), (within, counted)


@operator("AveragePool")
def average_pool(
    x: Any,
    *,
    kernel_shape: list[int],
    strides: Ints = None,
    pads: Ints = None,
    dilations: Ints = None,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
) -> Any:
    """Mean of each window, with or without the padding."""
    windows = Windows.over(x.shape[2:], kernel_shape, strides, pads, dilations, auto_pad, ceil_mode)
    if windows.plain:
        border = 0 if count_include_pad else None
        return F.average_pooling_nd(x, windows.kernel, windows.strides, windows.before, border)
    values, (within, counted) = _seen(x, windows)
    number = (counted if count_include_pad else within).sum(-1)
    return F.sum(values, axis=-1) / same_as(x, number)


@operator("LpPool")
def lp_pool(
    x: Any,
    *,
    kernel_shape: list[int],
    strides: Ints = None,
    pads: Ints = None,
    dilations: Ints = None,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    p: int = 2,
) -> Any:
    """p-norm of each window."""
    windows = Windows.over(x.shape[2:], kernel_shape, strides, pads, dilations, auto_pad, ceil_mode)
    return F.sum(abs(_seen(x, windows)[0]) ** p, axis=-1) ** (1 / p)


def _all(x: Any) -> tuple[int, ...]:
    return tuple(range(2, x.ndim))


@operator("GlobalAveragePool")
def global_average_pool(x: Any) -> Any:
    """Mean of each image."""
    return F.mean(x, axis=_all(x), keepdims=True)


@operator("GlobalMaxPool")
def global_max_pool(x: Any) -> Any:
    """Maximum of each image."""
    return F.max(x, axis=_all(x), keepdims=True)


@operator("GlobalLpPool")
def global_lp_pool(x: Any, *, p: int = 2) -> Any:
    """p-norm of each image."""
    return F.sum(abs(x) ** p, axis=_all(x), keepdims=True) ** (1 / p)


@operator("MaxUnpool", host=(2,))
def max_unpool(
    x: Any,
    indices: Any,
    output_shape: Any = None,
    *,
    kernel_shape: list[int],
    strides: Ints = None,
    pads: Ints = None,
) -> Any:
    """Put each element back where `max_pool` found it; zeros elsewhere."""
    n = len(kernel_shape)
    steps, border = strides or [1] * n, pads or [0] * 2 * n
    own = [
        (size - 1) * t + k - border[i] - border[i + n]
        for i, (size, t, k) in enumerate(zip(x.shape[2:], steps, kernel_shape, strict=True))
    ]
    shape = affordable((*x.shape[:2], *own), x.dtype, x.size)
    wanted = shape if output_shape is None else affordable(ints(output_shape), x.dtype, x.size)
    xp = get_array_module(x)
    zeros = xp.zeros(math.prod(shape), dtype=x.dtype)
    y = F.scatter_add(zeros, raw(indices).reshape(-1), x.reshape(-1)).reshape(shape)
    if wanted == shape:
        return y
    return F.pad(y, [(0, w - s) for w, s in zip(wanted, shape, strict=True)], "constant")


@operator("MaxRoiPool", fixed=(1,))
def max_roi_pool(x: Any, rois: Any, *, pooled_shape: list[int], spatial_scale: float = 1.0) -> Any:
    """Maximum in each bin of regions ``(image, x, y, x, y)``, ends included."""
    height, width = pooled_shape
    return F.roi_pooling_2d(x, raw(rois), height, width, spatial_scale)


@operator("RoiAlign", host=(1, 2))
def roi_align(
    x: Any,
    rois: Any,
    batch_indices: Any,
    *,
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
    mode: str = "avg",
    coordinate_transformation_mode: str = "output_half_pixel",
) -> Any:
    """Mean, or maximum, of interpolated samples in each bin of regions ``(x, y, x, y)``."""
    affordable([len(rois), x.shape[1], output_height, output_width], x.dtype, x.size)
    half = coordinate_transformation_mode == "half_pixel"
    height, width = x.shape[2:]
    made = []
    for (x0, y0, x1, y1), image in zip(np.asarray(rois, np.float64), ints(batch_indices), strict=True):
        low = np.array([y0, x0]) * spatial_scale - 0.5 * half
        extent = np.array([y1, x1]) * spatial_scale - 0.5 * half - low
        if not half:
            extent = np.maximum(extent, 1.0)
        rows = _samples(low[0], extent[0], output_height, sampling_ratio, height)
        columns = _samples(low[1], extent[1], output_width, sampling_ratio, width)
        made.append(_region(x[image], rows, columns, mode))
    if not made:
        return get_array_module(x).zeros((0, x.shape[1], output_height, output_width), dtype=x.dtype)
    return F.stack(made)


Taps = tuple[Any, Any]


def _samples(low: float, extent: float, bins: int, ratio: int, size: int) -> tuple[list[Taps], int]:
    """For each sample along an axis: its two nearest pixels, their weights ``(bins * samples,)``; samples per bin."""
    count = ratio if ratio > 0 else max(1, math.ceil(extent / bins))
    affordable([bins * count], np.int64)
    at = low + (np.arange(bins * count) + 0.5) * extent / (bins * count)
    inside = (at >= -1) & (at <= size)
    at = np.clip(at, 0, size - 1)
    first = np.floor(at).astype(np.intp)
    share = at - first
    return [(first, inside * (1 - share)), (np.minimum(first + 1, size - 1), inside * share)], count


def _region(image: Any, rows: tuple[list[Taps], int], columns: tuple[list[Taps], int], mode: str) -> Variable:
    """Interpolate samples ``(C, bins, samples, bins, samples)`` of one image; return mean or maximum per bin."""
    xp = get_array_module(image)
    (row_taps, m), (column_taps, n) = rows, columns
    affordable([image.shape[0], len(row_taps[0][0]), len(column_taps[0][0])], image.dtype, image.size)
    terms = []
    for row, row_share in row_taps:
        for column, column_share in column_taps:
            share = same_as(image, row_share[:, None] * column_share)
            terms.append(image[:, xp.asarray(row)[:, None], xp.asarray(column)] * share)
    shape = (image.shape[0], len(row_taps[0][0]) // m, m, len(column_taps[0][0]) // n, n)
    if mode == "max":  # over the four terms of each sample, as in ONNX's reference
        return F.max(F.stack([F.max(t.reshape(shape), axis=(2, 4)) for t in terms]), axis=0)
    return F.mean(sum(terms[1:], terms[0]).reshape(shape), axis=(2, 4))
