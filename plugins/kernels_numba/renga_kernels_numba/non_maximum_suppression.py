"""Non-maximum suppression: each thread takes groups of boxes, such as those of a class."""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop

__all__ = ["NonMaximumSuppression", "supports"]

_ARGUMENTS = "f* f* f* f* f* f* i8* u1* i8"
_SINGLE = Loop("non_maximum_suppression:suppress", _ARGUMENTS.replace("f*", "f4*"))
_DOUBLE = Loop("non_maximum_suppression:suppress_double", _ARGUMENTS.replace("f*", "f8*"))


def supports(boxes: Array, bounds: Array, thresh: float, limit: int) -> bool:
    """Whether boxes are float32 or float64."""
    return boxes.dtype in ("float32", "float64") and boxes.dtype.isnative


class NonMaximumSuppression:
    """Operation ``non_maximum_suppression``."""

    @staticmethod
    def forward(boxes: Array, bounds: Array, thresh: float, limit: int) -> Array:
        """See the reference."""
        sides = np.ascontiguousarray(boxes.T)
        zero = sides.dtype.type(0)
        areas = np.maximum(sides[2] - sides[0], zero) * np.maximum(sides[3] - sides[1], zero)
        areas = np.maximum(areas, np.finfo(sides.dtype).tiny)
        dropped = np.zeros(len(boxes), bool)
        bounds = np.ascontiguousarray(bounds, np.int64)
        loop = _SINGLE if sides.dtype == np.float32 else _DOUBLE
        arrays = *sides, areas, np.array([thresh], sides.dtype), bounds, dropped
        loop(len(bounds) - 1, *map(address, arrays), limit)
        return dropped
