"""Rectified linear units with an upper bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.checks import as_number
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["clipped_relu", "relu6"]


def clipped_relu(x: Any, z: float = 20.0) -> Variable:
    """``min(max(0, x), z)``, element by element; the gradient at 0 and at z is 0.

    Args:
        x: Variable or array of any shape and floating dtype.
        z: The upper bound, a positive number.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.
        ValueError: `z` is not positive.

    >>> import numpy as np
    >>> clipped_relu(np.array([-1.0, 3.0, 9.0]), z=5.0).array.tolist()
    [0.0, 3.0, 5.0]
    """
    z = as_number("clipped_relu", "z", z)  # a NumPy number would change the dtype
    if not z > 0:
        raise ValueError(f"clipped_relu: z is {z:g}; it must be positive")
    return ClippedReLU(z).apply((x,))[0]


def relu6(x: Any) -> Variable:
    """``min(max(0, x), 6)``: `clipped_relu` with the upper bound of MobileNet (Howard et al. 2017).

    >>> import numpy as np
    >>> relu6(np.array([7.0])).array.tolist()
    [6.0]
    """
    return clipped_relu(x, 6.0)


class ClippedReLU(Elementwise, operation="clipped_relu"):
    """``min(max(0, x), z)``."""

    keeps_output = True

    def __init__(self, z: float) -> None:
        self.z = z
        self.parameters = (self.z,)

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.clip(x, 0, self.z)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * ((kept > 0) & (kept < self.z))

    def gradient(self, kept: Any, gy: Any) -> Any:
        y = kept.array
        return gy * ((y > 0) & (y < self.z))
