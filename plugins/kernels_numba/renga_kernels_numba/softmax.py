"""Softmax, its logarithm, and cross entropy over wide vocabularies."""

from __future__ import annotations

import math

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import ELEMENTS

__all__ = ["LOG_SOFTMAX", "SOFTMAX", "CrossEntropy", "Softmax", "supports", "supports_cross_entropy"]

_CROSS_ENTROPY = Loop("softmax:cross_entropy", "f4* i8* f4* f4* f4* i8 i8 i8", alone=3)
_CROSS_ENTROPY_GRADIENT = Loop("softmax:cross_entropy_gradient", "f4* i8* f4* f4* f4* i8 i8 i8", alone=3)


def supports(x: Array, axis: int) -> bool:
    """Whether this is a float32 array with its classes last in memory, or else one with gaps, which is copied."""
    return is_single(x) and -x.ndim <= axis < x.ndim and (axis % x.ndim == x.ndim - 1 or not x.flags.c_contiguous)


def supports_cross_entropy(x: Array, classes: Array, weight: Array, cache_score: bool) -> bool:
    """Whether these are a float32 matrix and weights, and whole numbers as labels."""
    return x.ndim == 2 and is_single(x, weight) and classes.dtype.kind == "i"


class Softmax:
    """Operations ``softmax`` and ``log_softmax``; the result lies in memory with the classes last.

    Args:
        name: Of the loop in `renga_kernels_numba.loops.softmax`; the one of its gradient is ``name_gradient``.
    """

    def __init__(self, name: str) -> None:
        self._forward = Loop(f"softmax:{name}", "f4* f4* i8 i8 i8", alone=3)
        self._backward = Loop(f"softmax:{name}_gradient", "f4* f4* f4* i8 i8 i8", alone=3)

    def forward(self, x: Array, axis: int) -> Array:
        """See the reference."""
        given = np.ascontiguousarray(_moved_last(x, axis))
        y = np.empty(given.shape, np.float32)
        self._forward(*_pieces(given.shape, address(given), address(y)))
        return _moved_back(y, axis)

    def backward(self, y: Array, gy: Array, axis: int) -> Array:
        """See the reference."""
        given = np.ascontiguousarray(_moved_last(y, axis))
        gradient = np.ascontiguousarray(_moved_last(gy, axis))
        gx = np.empty(given.shape, np.float32)
        self._backward(*_pieces(given.shape, address(given), address(gradient), address(gx)))
        return _moved_back(gx, axis)


class CrossEntropy:
    """Operation ``softmax_cross_entropy``. Kept is what each row is shifted and multiplied by: no exponentials."""

    @staticmethod
    def forward(x: Array, classes: Array, weight: Array, cache_score: bool) -> tuple[Array, tuple[Array, Array, Array]]:
        """See the reference."""
        x, labels, weight = (
            np.ascontiguousarray(x),
            np.ascontiguousarray(classes, np.int64),
            np.ascontiguousarray(weight),
        )
        loss, scales = np.empty(len(x), np.float32), np.empty((len(x), 2), np.float32)
        arrays = x, labels, weight, loss, scales
        _CROSS_ENTROPY(*_pieces(x.shape, *map(address, arrays)))
        return loss, (x, labels, scales)

    @staticmethod
    def backward(x: Array, classes: Array, weight: Array, kept: tuple[Array, Array, Array]) -> Array:
        """See the reference."""
        x, labels, scales = kept
        gx, weight = np.empty(x.shape, np.float32), np.ascontiguousarray(weight, np.float32)
        arrays = x, labels, weight, scales, gx
        _CROSS_ENTROPY_GRADIENT(*_pieces(x.shape, *map(address, arrays)))
        return gx


def _moved_last(x: Array, axis: int) -> Array:
    return x if axis % x.ndim == x.ndim - 1 else np.moveaxis(x, axis, -1)


def _moved_back(x: Array, axis: int) -> Array:
    return x if axis % x.ndim == x.ndim - 1 else np.moveaxis(x, -1, axis)


def _pieces(shape: tuple[int, ...], *addresses: int) -> tuple[int, ...]:
    """Arguments of a loop over rows: pieces, addresses, rows, classes, rows of a piece."""
    classes = shape[-1]
    rows = math.prod(shape[:-1])
    rows_of_piece = max(1, ELEMENTS // classes)
    return (-(-rows // rows_of_piece), *addresses, rows, classes, rows_of_piece)


LOG_SOFTMAX = Softmax("log_softmax")
SOFTMAX = Softmax("softmax")
