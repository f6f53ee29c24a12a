"""Functions that work element by element, in one pass with all threads."""

from __future__ import annotations

import numpy as np

from renga_core.backend import Array
from renga_kernels_numba.arrays import address
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import ELEMENTS

__all__ = ["ERF", "GELU", "GELU_TANH", "SIGMOID", "SILU", "TANH", "Pointwise", "supports", "supports_large"]

_SINGLE = np.dtype(np.float32)

_LEAST = 1 << 8
"""Elements up to which one call of NumPy is faster."""


def supports(x: Array) -> bool:
    """Whether this is a float32 array."""
    return bool(x.dtype == _SINGLE and x.flags.aligned)


def supports_large(x: Array) -> bool:
    """Whether this is a float32 array for which NumPy, which needs one pass as well, takes longer."""
    return bool(x.size > _LEAST and x.dtype == _SINGLE and x.flags.aligned)


class Pointwise:
    """Operations of one array; the result lies in memory in the order of its argument.

    Args:
        name: Of the loops ``name_forward`` and ``name_backward`` in `renga_kernels_numba.loops.pointwise`.
    """

    def __init__(self, name: str) -> None:
        self._forward = Loop(f"pointwise:{name}_forward", "f4* f4* i8")
        self._backward = Loop(f"pointwise:{name}_backward", "f4* f4* f4* i8")

    def forward(self, x: Array) -> Array:
        """As the reference."""
        y = np.empty_like(x)
        x = _laid_as(y, x)
        self._forward(-(-y.size // ELEMENTS), address(x), address(y), y.size)
        return y

    def backward(self, kept: Array, gy: Array) -> Array:
        """As the reference."""
        gx = np.empty_like(kept)
        kept, gy = _laid_as(gx, kept), _laid_as(gx, gy)
        self._backward(-(-gx.size // ELEMENTS), address(kept), address(gy), address(gx), gx.size)
        return gx


def _laid_as(like: Array, x: Array) -> Array:
    """The array, with the strides of one without gaps."""
    if x.strides == like.strides:
        return x
    copied = np.empty_like(like)
    copied[...] = x
    return copied


ERF = Pointwise("erf")
GELU = Pointwise("gelu")
GELU_TANH = Pointwise("gelu_tanh")
SIGMOID = Pointwise("sigmoid")
SILU = Pointwise("silu")
TANH = Pointwise("tanh")
