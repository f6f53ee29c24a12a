"""Shared code of the detectors' parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import Variable
from renga_core.random import generator
from renga_cv.links.model.faster_rcnn.box_coding import centre_and_size, corners
from renga_nn.functions.loss import huber_loss

__all__ = ["argsort", "choice", "exp_clip", "image_weights", "move_boxes", "smooth_l1"]

exp_clip = math.log(1000 / 16)
"""The largest argument of `exp`: a box of 16 pixels grows to at most 1000."""


def argsort(x: Array) -> Array:
    """Indices of the elements of `x` ``(N,)``, smallest first, on its device."""
    return get_array_module(x).argsort(x)


def choice(x: Array, size: int) -> Array:
    """Random elements of `x` ``(N,)``, without replacement.

    Args:
        x: An array.
        size: Number of elements; all if there are fewer.

    Returns:
        Array ``(min(size, N),)`` on the device of `x`.
    """
    return generator(get_backend(x)).permutation(x)[:size]


def smooth_l1(x: Any, t: Any, beta: float) -> Variable:
    """``a**2 / (2 beta)`` where ``|a| < beta``, else ``|a| - beta / 2``, with ``a = x - t`` (Girshick 2015, 2.3).

    Args:
        x, t: Variables or arrays of one shape and dtype.
        beta: The difference at which the parabola becomes a line.

    Returns:
        Variable of the shape of `x`.
    """
    y: Variable = huber_loss(x, t, beta, reduce="no") * (1 / beta)
    return y


def move_boxes(bbox: Array, loc: Array) -> Array:
    """Boxes ``(..., 4)``, moved by dy, dx, dh, dw ``(..., 4)``; sizes grow by ``exp(exp_clip)`` at most."""
    xp = get_array_module(bbox)
    centre, size = centre_and_size(bbox)
    return corners(centre + loc[..., :2] * size, size * xp.exp(xp.minimum(loc[..., 2:], exp_clip)))


def image_weights(roi_indices: np.ndarray[Any, Any], batchsize: int) -> np.ndarray[Any, Any]:
    """The weight of each region in the mean over images of means over regions: float32 ``(R,)``, on the host."""
    _, image, count = np.unique(roi_indices, return_inverse=True, return_counts=True)
    return np.asarray(1 / (count[image] * batchsize), np.float32)
