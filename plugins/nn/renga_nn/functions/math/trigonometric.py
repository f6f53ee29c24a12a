"""Sine and cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["cos", "sin"]


def sin(x: Any) -> Variable:
    """Sine of angles in radians, element by element.

    >>> import numpy as np
    >>> sin(np.array([0.0, np.pi / 2])).array.tolist()
    [0.0, 1.0]
    """
    return Sin().apply((x,))[0]


def cos(x: Any) -> Variable:
    """Cosine of angles in radians, element by element.

    >>> import numpy as np
    >>> cos(np.array([0.0, np.pi])).array.tolist()
    [1.0, -1.0]
    """
    return Cos().apply((x,))[0]


class Sin(Elementwise):
    """sin."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.sin(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * xp.cos(kept)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * cos(kept)


class Cos(Elementwise):
    """cos."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.cos(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * -xp.sin(kept)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * -sin(kept)
