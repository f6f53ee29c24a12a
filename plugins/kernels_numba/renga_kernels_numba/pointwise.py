"""Functions that work element by element, in one pass with all threads."""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import ELEMENTS

__all__ = [
    "ERF",
    "GELU",
    "GELU_TANH",
    "SIGMOID",
    "SILU",
    "TANH",
    "Pointwise",
    "SwiGLU",
    "supports",
    "supports_large",
    "supports_two",
]

_SWIGLU = Loop("pointwise:swiglu_forward", "f4* f4* f4* i8", alone=3)
_SWIGLU_GRADIENT = Loop("pointwise:swiglu_backward", "f4* f4* f4* f4* f4* i8", alone=3)

_SINGLE = np.dtype(np.float32)


def supports(x: Array) -> bool:
    """Whether this is a float32 array."""
    return bool(x.dtype == _SINGLE and x.flags.aligned)


def supports_large(x: Array) -> bool:
    """Whether this is a float32 array of several pieces: with one thread NumPy, in one pass as well, is faster."""
    return bool(x.size > ELEMENTS and x.dtype == _SINGLE and x.flags.aligned)


def supports_two(gate: Array, x: Array) -> bool:
    """Whether both are float32 arrays."""
    return supports(gate) and supports(x)


class Pointwise:
    """Operations of one array; the result lies in memory in the order of its argument.

    Args:
        name: Of the loops ``name_forward`` and ``name_backward`` in `renga_kernels_numba.loops.pointwise`.
    """

    def __init__(self, name: str) -> None:
        self._forward = Loop(f"pointwise:{name}_forward", "f4* f4* i8", alone=3)
        self._backward = Loop(f"pointwise:{name}_backward", "f4* f4* f4* i8", alone=3)

    def forward(self, x: Array) -> Array:
        """See the reference."""
        y = np.empty_like(x)
        x = _laid_as(y, x)
        self._forward(-(-y.size // ELEMENTS), address(x), address(y), y.size)
        return y

    def backward(self, kept: Array, gy: Array) -> Array:
        """See the reference."""
        gx = np.empty_like(kept)
        kept, gy = _laid_as(gx, kept), _laid_as(gx, gy)
        self._backward(-(-gx.size // ELEMENTS), address(kept), address(gy), address(gx), gx.size)
        return gx


class SwiGLU:
    """Operation ``swiglu``; results lie in memory in the order of the gate."""

    @staticmethod
    def forward(gate: Array, x: Array) -> Array:
        """See the reference."""
        y = np.empty_like(gate)
        gate, x = _laid_as(y, gate), _laid_as(y, x)
        _SWIGLU(-(-y.size // ELEMENTS), address(gate), address(x), address(y), y.size)
        return y

    @staticmethod
    def backward(gate: Array, x: Array, gy: Array) -> tuple[Array, Array]:
        """See the reference."""
        ggate, gx = np.empty_like(gate), np.empty_like(gate)
        arrays = _laid_as(gx, gate), _laid_as(gx, x), _laid_as(gx, gy), ggate, gx
        _SWIGLU_GRADIENT(-(-gx.size // ELEMENTS), *map(address, arrays), gx.size)
        return ggate, gx


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
