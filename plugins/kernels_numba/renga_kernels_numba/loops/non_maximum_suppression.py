"""Non-maximum suppression. Each operation is rounded as in NumPy, so the result equals the reference's."""

from __future__ import annotations

from renga_kernels_numba.loops.intrinsics import Float, Floats, Longs, exact

__all__ = ["suppress", "suppress_double"]


@exact
def suppress(
    piece: int,
    y_min: Floats,
    x_min: Floats,
    y_max: Floats,
    x_max: Floats,
    areas: Floats,
    thresholds: Floats,
    bounds: Longs,
    dropped: Longs,
    limit: int,
) -> None:
    """Each box of a group that is not dropped drops the later ones that it overlaps.

    Args:
        piece: Which group.
        y_min, x_min, y_max, x_max, areas: Boxes of all groups, the best of each group first.
        thresholds: One number: the smallest intersection over union.
        bounds: Where groups begin, and the end.
        dropped: Bytes, zeros; 1 for dropped boxes.
        limit: Boxes to keep in a group, at most.
    """
    stop, kept, threshold = bounds[piece + 1], 0, thresholds[0]
    for i in range(bounds[piece], stop):
        if dropped[i] != 0:
            continue
        if kept == limit:
            dropped[i] = 1
            continue
        kept += 1
        top, left, bottom, right, area = y_min[i], x_min[i], y_max[i], x_max[i], areas[i]
        for j in range(i + 1, stop):
            height = _not_negative(_least(bottom, y_max[j]) - _largest(top, y_min[j]))
            width = _not_negative(_least(right, x_max[j]) - _largest(left, x_min[j]))
            overlap = height * width
            dropped[j] = dropped[j] | (overlap / (area + areas[j] - overlap) >= threshold)


@exact
def suppress_double(
    piece: int,
    y_min: Floats,
    x_min: Floats,
    y_max: Floats,
    x_max: Floats,
    areas: Floats,
    thresholds: Floats,
    bounds: Longs,
    dropped: Longs,
    limit: int,
) -> None:
    """The same in float64."""
    suppress(piece, y_min, x_min, y_max, x_max, areas, thresholds, bounds, dropped, limit)


@exact
def _least(a: Float, b: Float) -> Float:
    return a if a < b else b


@exact
def _largest(a: Float, b: Float) -> Float:
    return a if a > b else b


@exact
def _not_negative(a: Float) -> Float:
    """At least 0; NaN stays."""
    return type(a)(0) if a < 0 else a
