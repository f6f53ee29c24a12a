"""Layer normalization, and normalization by the root mean square: each row by its own statistics."""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop

__all__ = ["LayerNormalization", "RMSNormalization", "supports", "supports_rms"]

_FORWARD = Loop("row_normalization:forward", "f4* f4* f4* f4* f4* f4* i8 i8 i8 i8 f8")
_BACKWARD = Loop("row_normalization:backward", "f4* f4* f4* f4* f4* f4* f4* i8 i8 i8 i8")

_BLOCK = 1 << 15
"""Elements of a piece."""

_ROWS = 16
"""Rows of a piece at least: in backward, each has sums of the size of two rows."""


def supports(x: Array, gamma: Array, beta: Array, eps: float) -> bool:
    """Whether these are float32 arrays with rows."""
    return is_single(x, gamma, beta)


def supports_rms(x: Array, gamma: Array, eps: float) -> bool:
    """As `supports`."""
    return is_single(x, gamma)


class LayerNormalization:
    """Operation ``layer_normalization``."""

    @staticmethod
    def forward(x: Array, gamma: Array, beta: Array, eps: float) -> tuple[Array, Array, Array]:
        """See the reference."""
        return _forward(x, gamma, np.ascontiguousarray(beta), eps, centred=True)

    @staticmethod
    def backward(x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array) -> tuple[Array, Array, Array]:
        """See the reference."""
        return _backward(x, gamma, mean, inv_std, gy, centred=True)


class RMSNormalization:
    """Operation ``rms_normalization``."""

    @staticmethod
    def forward(x: Array, gamma: Array, eps: float) -> tuple[Array, Array]:
        """See the reference."""
        y, _, inv_rms = _forward(x, gamma, np.zeros(gamma.shape, np.float32), eps, centred=False)
        return y, inv_rms

    @staticmethod
    def backward(x: Array, gamma: Array, inv_rms: Array, gy: Array) -> tuple[Array, Array]:
        """See the reference."""
        gx, ggamma, _ = _backward(x, gamma, np.zeros(inv_rms.shape, np.float32), inv_rms, gy, centred=False)
        return gx, ggamma


def _forward(x: Array, gamma: Array, beta: Array, eps: float, centred: bool) -> tuple[Array, Array, Array]:
    x, gamma = np.ascontiguousarray(x), np.ascontiguousarray(gamma)
    y = np.empty(x.shape, np.float32)
    mean, inv_std = np.empty((2, *x.shape[:-1], 1), np.float32)
    rows, units, size, pieces = _pieces(x)
    places = map(address, (x, gamma, beta, y, mean, inv_std))
    _FORWARD(pieces, *places, rows, units, size, centred, eps)
    return y, mean, inv_std


def _backward(
    x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array, centred: bool
) -> tuple[Array, Array, Array]:
    x, gamma, mean, inv_std, gy = (np.ascontiguousarray(a) for a in (x, gamma, mean, inv_std, gy))
    rows, units, size, pieces = _pieces(x)
    gx = np.empty(x.shape, np.float32)
    sums = np.empty((pieces, 2, units), np.float32)
    places = map(address, (x, gamma, mean, inv_std, gy, gx, sums))
    _BACKWARD(pieces, *places, rows, units, size, centred)
    ggamma, gbeta = sums.sum(axis=0)
    return gx, ggamma, gbeta


def _pieces(x: Array) -> tuple[int, int, int, int]:
    """Rows of a matrix, its columns, the rows of a piece, and how many pieces there are."""
    units = x.shape[-1]
    rows = x.size // units
    size = max(_ROWS, _BLOCK // units)
    return rows, units, size, -(-rows // size)
