"""Layer normalization: statistics for each row."""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address, is_bfloat16, is_single
from renga_core.backend import Array
from renga_kernels_onednn.cache import find, same_bits
from renga_kernels_onednn.handles import Description, number
from renga_kernels_onednn.layout import plain_layout
from renga_kernels_onednn.library import (
    BACKWARD,
    DIFF_DST,
    DIFF_SCALE,
    DIFF_SHIFT,
    DIFF_SRC,
    DST,
    FORWARD_TRAINING,
    MEAN,
    SCALE,
    SHIFT,
    SRC,
    USE_SCALE,
    USE_SHIFT,
    VARIANCE,
)
from renga_kernels_onednn.primitive import Primitive

__all__ = ["LayerNormalization", "supports", "supports_bfloat16"]

Ints = tuple[int, ...]

_INPUTS = 5
"""Arguments of the gradient: rows, scale, mean, variance, and the gradient of the result."""


def supports(x: Array, gamma: Array, beta: Array, eps: float) -> bool:
    """Whether these are float32 arrays with rows."""
    return is_single(x, gamma, beta)


def supports_bfloat16(x: Array, gamma: Array, beta: Array, eps: float) -> bool:
    """As `supports` of bfloat16; scale and shift may be float32."""
    return is_bfloat16(x) and all(is_single(a) or is_bfloat16(a) for a in (gamma, beta))


class LayerNormalization:
    """Operation ``layer_normalization``."""

    @staticmethod
    def forward(x: Array, gamma: Array, beta: Array, eps: float) -> tuple[Array, Array, Array]:
        """See the reference."""
        rows = np.ascontiguousarray(x)
        scale, shift = [np.ascontiguousarray(a, np.float32) for a in (gamma, beta)]
        y = np.empty(x.shape, x.dtype)
        mean, var = np.empty((2, *x.shape[:-1], 1), np.float32)
        compute = find(rows.size, _training, (mean.size, x.shape[-1]), x.itemsize, float(eps))
        compute(*map(address, (rows, scale, shift, y, mean, var)))
        var += np.float32(eps)
        return y, mean, 1 / np.sqrt(var)

    @staticmethod
    def backward(x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array) -> tuple[Array, Array, Array]:
        """See the reference."""
        rows, gradient = np.ascontiguousarray(x), np.ascontiguousarray(gy)
        # Backward has no argument eps: pass the variance with eps added.
        scale, var, mean = np.ascontiguousarray(gamma, np.float32), inv_std**-2, np.ascontiguousarray(mean)
        gx = np.empty(x.shape, x.dtype)
        ggamma, gbeta = np.empty((2, gamma.size), np.float32)
        compute = find(rows.size, _gradient, (mean.size, x.shape[-1]), x.itemsize)
        compute(*map(address, (rows, scale, mean, var, gradient, gx, ggamma, gbeta, scale)))
        return gx, ggamma, gbeta


@same_bits
def _training(shape: Ints, itemsize: int, eps: float) -> Primitive:
    return Primitive(_forward(shape, itemsize, eps), (SRC, SCALE, SHIFT, DST, MEAN, VARIANCE))


def _gradient(shape: Ints, itemsize: int) -> Primitive:
    rows, statistics, flags = plain_layout(shape, itemsize), plain_layout(shape[:1]), USE_SCALE | USE_SHIFT
    description = Description(
        "layer_normalization_backward",
        BACKWARD,
        rows,
        rows,
        rows,
        statistics,
        number(0.0),
        flags,
        _forward(shape, itemsize, 0.0),
    )
    # A bug of oneDNN 3.2: it requires the shift, but does not use it.
    unused = (SHIFT,) if description.inputs > _INPUTS else ()
    return Primitive(description, (SRC, SCALE, MEAN, VARIANCE, DIFF_DST, DIFF_SRC, DIFF_SCALE, DIFF_SHIFT, *unused))


def _forward(shape: Ints, itemsize: int, eps: float) -> Description:
    rows, statistics, flags = plain_layout(shape, itemsize), plain_layout(shape[:1]), USE_SCALE | USE_SHIFT
    return Description("layer_normalization_forward", FORWARD_TRAINING, rows, rows, statistics, number(eps), flags)
