"""One step of long short-term memories: cells and output of `(N, M)` units in one pass."""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import CELLS

__all__ = ["LSTM", "supports"]

_FORWARD = Loop("lstm:forward", "f4* f4* f4* f4* i8")
_BACKWARD = Loop("lstm:backward", "f4* f4* f4* f4* f4* f4* f4* i8 i8")


def supports(c_prev: Array, x: Array) -> bool:
    """Whether these are float32 matrices."""
    return x.ndim == 2 and is_single(c_prev, x)


class LSTM:
    """Operation ``lstm``."""

    @staticmethod
    def forward(c_prev: Array, x: Array) -> tuple[Array, Array]:
        """See the reference."""
        n = x.shape[0]
        c_prev, x = np.ascontiguousarray(c_prev), np.ascontiguousarray(x)
        c, h = np.empty(c_prev.shape, np.float32), np.empty((n, c_prev.shape[1]), np.float32)
        _FORWARD(-(-h.size // CELLS), address(c_prev), address(x), address(c), address(h), h.size)
        c[n:] = c_prev[n:]
        return c, h

    @staticmethod
    def backward(c_prev: Array, x: Array, c: Array, gc: Array | None, gh: Array | None) -> tuple[Array, Array]:
        """See the reference."""
        n = x.shape[0]
        by_output = gh is not None
        gc = np.zeros(c.shape, np.float32) if gc is None else gc
        gh = np.zeros((n, c.shape[1]), np.float32) if gh is None else gh
        given = [np.ascontiguousarray(a) for a in (c_prev, x, c, gc, gh)]
        gc_prev, gx = np.empty(c.shape, np.float32), np.empty(x.shape, np.float32)
        _BACKWARD(-(-gh.size // CELLS), *map(address, (*given, gc_prev, gx)), gh.size, by_output)
        gc_prev[n:] = gc[n:]
        return gc_prev, gx
