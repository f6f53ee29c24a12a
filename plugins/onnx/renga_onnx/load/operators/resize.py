"""Resizing of images, and sampling at the points of a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_nn.functions.array.resize_images import Resample, Taps
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import affordable, axis_of, ints, is_float, nearest, raw, same_as

__all__: list[str] = []

Host = np.ndarray[Any, Any]


@operator("Resize", host=(1, 2, 3))
def resize(
    x: Any,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    *,
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    antialias: int = 0,
    axes: list[int] | None = None,
    keep_aspect_ratio_policy: str = "stretch",
) -> Any:
    """Interpolate along each axis: each new element is a weighted sum of old elements."""
    chosen = range(x.ndim) if axes is None else [axis_of(axis, x.ndim) for axis in axes]
    given = None if sizes is None or np.size(sizes) == 0 else ints(sizes)
    old = [x.shape[axis] for axis in chosen]
    if given is not None:
        factors = [new / n for new, n in zip(given, old, strict=True)]
        if keep_aspect_ratio_policy != "stretch":
            one = min(factors) if keep_aspect_ratio_policy == "not_larger" else max(factors)
            factors = [one] * len(old)
            given = tuple([int(np.floor(one * n + 0.5)) for n in old])
    else:
        factors = [float(s) for s in np.asarray(scales).reshape(-1)]
        given = tuple([int(np.floor(n * s)) for n, s in zip(old, factors, strict=True)])
    wanted = list(x.shape)
    for axis, new in zip(chosen, given, strict=True):
        wanted[axis] = new
    affordable(wanted, x.dtype, x.size)
    ends = np.zeros(0) if roi is None else np.asarray(roi, np.float64)
    taps: dict[int, Taps] = {}
    outside: dict[int, Host] = {}
    for i, (axis, n, new, factor) in enumerate(zip(chosen, old, given, factors, strict=True)):
        crop = coordinate_transformation_mode == "tf_crop_and_resize"
        span = (float(ends[i]), float(ends[i + len(old)])) if crop else (0.0, 1.0)
        if factor == 1 and new == n and not crop:
            continue
        at = _places(n, new, factor, coordinate_transformation_mode, span)
        if crop:
            outside[axis] = (at < 0) | (at > n - 1)
        if mode == "nearest":
            taps[axis] = _nearest(at, n, nearest_mode)
        else:
            taps[axis] = _interpolated(at, n, factor, mode, cubic_coeff_a, bool(exclude_outside), bool(antialias))
    return _applied(x, taps, outside, extrapolation_value)


def _applied(x: Any, taps: dict[int, Taps], outside: dict[int, Host], value: float) -> Any:
    xp = get_array_module(x)
    if not is_float(x):
        for axis, t in taps.items():
            if len(t.columns) > 1:
                raise NotImplementedError("integers can be resized by 'nearest' only")
            x = x[(*(slice(None),) * axis, xp.asarray(t.columns[0]))]
        return x
    if taps:
        x = Resample(taps).apply((x,))[0]
    for axis, far in outside.items():
        mask = xp.asarray(far).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
        x = F.where(xp.broadcast_to(mask, x.shape), same_as(x, value), x)
    return x


def _places(n: int, new: int, factor: float, mode: str, span: tuple[float, float]) -> Host:
    """Positions of the new elements among the `n` old ones."""
    at = np.arange(new)
    if mode == "half_pixel":
        return (at + 0.5) / factor - 0.5
    if mode == "half_pixel_symmetric":
        # Use the size that the scale would give without rounding.
        length = n * factor
        return n / 2 * (1 - new / length) + (at + 0.5) / factor - 0.5
    if mode == "pytorch_half_pixel":
        return (at + 0.5) / factor - 0.5 if new > 1 else np.zeros(1)
    if mode == "align_corners":
        return at * ((n - 1) / (n * factor - 1)) if new > 1 else np.zeros(1)
    if mode == "asymmetric":
        return at / factor
    if mode == "tf_half_pixel_for_nn":
        return (at + 0.5) / factor
    if mode == "tf_crop_and_resize":
        start, end = span
        if new == 1:
            return np.array([0.5 * (start + end) * (n - 1)])
        return start * (n - 1) + at * ((end - start) * (n - 1) / (new - 1))
    raise NotImplementedError(f"coordinate_transformation_mode {mode!r} is not supported")


def _nearest(at: Host, n: int, mode: str) -> Taps:
    rounds: dict[str, Callable[[Host], Host]] = {
        "round_prefer_floor": lambda v: np.ceil(v - 0.5),
        "round_prefer_ceil": lambda v: np.floor(v + 0.5),
        "floor": np.floor,
        "ceil": np.ceil,
    }
    columns = np.clip(rounds[mode](at), 0, n - 1).astype(np.intp)
    return Taps(columns[None], np.ones((1, len(at))), n)


def _cubic(a: float) -> Callable[[Host], Host]:
    """Weight at a distance (Keys 1981)."""

    def weight(d: Host) -> Host:
        d = np.abs(d)
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = a * (((d - 5) * d + 8) * d - 4)
        made: Host = np.where(d <= 1, near, np.where(d < 2, far, 0.0))
        return made

    return weight


def _linear(d: Host) -> Host:
    made: Host = np.maximum(0.0, 1 - np.abs(d))
    return made


def _interpolated(at: Host, n: int, factor: float, mode: str, a: float, exclude: bool, antialias: bool) -> Taps:
    """Weights that decrease with the distance; wider if an image shrinks and `antialias` is set."""
    reach, weight = (1, _linear) if mode == "linear" else (2, _cubic(a))
    stretch = min(1.0, factor) if antialias else 1.0
    wide = int(np.ceil(reach / stretch))
    affordable([2 * wide, max(len(at), 1)], np.float64)
    columns = np.floor(at).astype(np.intp) + np.arange(1 - wide, wide + 1)[:, None]
    weights = weight((columns - at) * stretch)
    inside = (columns >= 0) & (columns < n)
    if exclude:
        weights = weights * inside
    weights = weights / weights.sum(0)
    columns = np.clip(columns, 0, n - 1)
    # At the border several weights belong to one element: add them.
    dense = np.zeros((len(at), n))
    np.add.at(dense, (np.arange(len(at)), columns), weights)
    most = int((dense != 0).sum(1).max(initial=1))
    order = np.argsort(dense == 0, axis=1, kind="stable")[:, : max(most, 1)]
    return Taps(order.T, np.take_along_axis(dense, order, axis=1).T, n)


@operator("AffineGrid", host=(1,))
def affine_grid(theta: Any, size: Any, *, align_corners: int = 0) -> Any:
    """Map a regular grid by affine maps ``(N, axes, axes + 1)`` to points ``(N, *spatial, axes)``."""
    n, _, *spatial = ints(size)
    affordable([*spatial, len(spatial) + 1], np.float64)
    ranges = []
    for length in spatial:
        numbers = np.arange(length)
        if align_corners:
            ranges.append(numbers * 2 / max(length - 1, 1) - 1 if length > 1 else np.full(1, -1.0))
        else:
            ranges.append((numbers * 2 + 1) / length - 1)
    axes = np.meshgrid(*ranges, indexing="ij")[::-1]
    points = np.stack([*axes, np.ones(spatial)], axis=-1).reshape(-1, len(spatial) + 1)
    grid = F.matmul(same_as(theta, points)[None], theta.transpose((0, 2, 1)))
    return grid.reshape((n, *spatial, len(spatial)))


@operator("GridSample")
def grid_sample(x: Any, grid: Any, *, mode: str = "linear", padding_mode: str = "zeros", align_corners: int = 0) -> Any:
    """Sample images ``(N, C, ...)`` at points ``(N, ..., axes)``; gradients flow to both."""
    n_axes = x.ndim - 2
    sizes = x.shape[2:]
    # The last axis of the points contains x, then y.
    at = []
    for i in range(n_axes):
        g = grid[..., n_axes - 1 - i]
        at.append((g + 1) * ((sizes[i] - 1) / 2) if align_corners else ((g + 1) * sizes[i] - 1) / 2)
    kind = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    terms: list[tuple[list[Any], Any]] = [([], None)]
    for i in range(n_axes):
        if kind != "cubic" and padding_mode != "zeros":
            at[i] = _brought_inside(at[i], sizes[i], padding_mode, bool(align_corners))
        pairs = _taps_at(at[i], kind)
        terms = [([*places, p], w if share is None else share * w) for places, share in terms for p, w in pairs]
    xp = get_array_module(x)
    batch = xp.arange(x.shape[0]).reshape((-1, *[1] * (grid.ndim - 2)))
    moved = x.transpose((0, *range(2, x.ndim), 1))
    y: Any = None
    for places, share in terms:
        inside, index = xp.full(places[0].shape, True, dtype=bool), []
        for place, size in zip(places, sizes, strict=True):
            if padding_mode == "zeros":
                inside = inside & (place >= 0) & (place < size)
            else:
                place = raw(_brought_inside(F.identity(place), size, padding_mode, bool(align_corners)))
            index.append(xp.clip(nearest(place), 0, size - 1).astype(np.int64))
        term = moved[(batch, *index)] * (share * inside.astype(x.dtype)).reshape((*inside.shape, 1))
        y = term if y is None else y + term
    return y.transpose((0, y.ndim - 1, *range(1, y.ndim - 1)))


def _taps_at(at: Any, kind: str) -> list[tuple[Any, Any]]:
    """Nearest pixels of positions along an axis, and their weights."""
    xp, array = get_array_module(at), raw(at)
    if kind == "nearest":
        return [(nearest(array), xp.full(array.shape, 1, dtype=array.dtype))]
    low = xp.floor(array)
    t = at - low
    if kind == "linear":
        return [(low, 1 - t), (low + 1, t)]
    a = -0.75
    far = [a * (((d - 5) * d + 8) * d - 4) for d in (t + 1, 2 - t)]
    near = [((a + 2) * d - (a + 3)) * d * d + 1 for d in (t, 1 - t)]
    return [(low - 1, far[0]), (low, near[0]), (low + 1, near[1]), (low + 2, far[1])]


def _brought_inside(at: Any, size: int, padding_mode: str, align_corners: bool) -> Any:
    """Move positions outside the image to its border, or reflect them."""
    if padding_mode == "border":
        return F.clip(at, 0, size - 1)
    low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
    span = high - low
    if span == 0:
        return at * 0
    away = abs(at - low)
    turns = get_array_module(at).floor(raw(away) / span)
    rest = away - turns * span
    return F.clip(F.where(turns % 2 == 0, rest + low, high - rest), 0, size - 1)
