"""Encoding of boxes as offsets from other boxes, the targets of a network."""

from __future__ import annotations

import numpy as np

from renga_core.backend import Array, get_array_module

__all__ = ["bbox2loc", "centre_and_size", "corners", "loc2bbox"]

LARGEST_EXPONENT = 40
"""Upper limit of the argument of `exp`."""


def bbox2loc(src_bbox: Array, dst_bbox: Array) -> Array:
    """Offsets and scales that move source boxes to target boxes (Girshick et al. 2014, "R-CNN", appendix C).

    ``dy = (y - y_src) / h_src``, ``dx = (x - x_src) / w_src``, ``dh = log(h / h_src)``, ``dw = log(w / w_src)``, where
    y, x are centres. Heights and widths below the smallest spacing of the dtype (eps) count as eps, so that the result
    is finite.

    Args:
        src_bbox: Floats ``(R, 4)``: y_min, x_min, y_max, x_max.
        dst_bbox: The target boxes, in the same form.

    Returns:
        Array ``(R, 4)``: dy, dx, dh, dw.

    >>> bbox2loc(np.array([[0.0, 0.0, 2.0, 4.0]]), np.array([[1.0, 0.0, 3.0, 4.0]])).tolist()
    [[0.5, 0.0, 0.0, 0.0]]
    """
    xp = get_array_module(src_bbox)
    smallest = float(np.finfo(np.dtype(str(src_bbox.dtype))).eps)
    source, source_size = centre_and_size(src_bbox)
    target, target_size = centre_and_size(dst_bbox)
    source_size = xp.maximum(source_size, smallest)
    target_size = xp.maximum(target_size, smallest)
    return xp.concatenate(((target - source) / source_size, xp.log(target_size / source_size)), axis=-1)


def loc2bbox(src_bbox: Array, loc: Array) -> Array:
    """Move and scale boxes by encoded offsets: the inverse of `bbox2loc`.

    Sizes grow by ``exp(40)`` at most, so that the output of an untrained network gives finite boxes.

    Args:
        src_bbox: Floats ``(R, 4)``: y_min, x_min, y_max, x_max.
        loc: Floats ``(R, 4 k)``: k times dy, dx, dh, dw for each box, such as one for each class.

    Returns:
        Array ``(R, 4 k)``: k boxes for each.

    >>> loc2bbox(np.array([[0.0, 0.0, 2.0, 4.0]]), np.array([[0.5, 0.0, 0.0, 0.0]])).tolist()
    [[1.0, 0.0, 3.0, 4.0]]
    """
    xp = get_array_module(src_bbox)
    centre, size = centre_and_size(src_bbox[:, None])
    moves = loc.reshape(loc.shape[0], loc.shape[1] // 4, 4)
    moved = corners(centre + moves[..., :2] * size, size * xp.exp(xp.minimum(moves[..., 2:], LARGEST_EXPONENT)))
    return moved.reshape(loc.shape)


def centre_and_size(bbox: Array) -> tuple[Array, Array]:
    """Boxes ``(..., 4)`` as y and x of their centres, and height and width, both ``(..., 2)``."""
    size = bbox[..., 2:] - bbox[..., :2]
    return bbox[..., :2] + size / 2, size


def corners(centre: Array, size: Array) -> Array:
    """The boxes ``(..., 4)`` with these centres and sizes ``(..., 2)``."""
    half = size / 2
    return get_array_module(centre).concatenate((centre - half, centre + half), axis=-1)
