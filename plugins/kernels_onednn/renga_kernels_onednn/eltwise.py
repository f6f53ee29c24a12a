"""Elementwise functions of bfloat16 arrays: activations that NumPy computes one element at a time.

In float32 the loops of numba are faster.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from renga_backend_numpy.arrays import address, is_bfloat16
from renga_core.backend import Array
from renga_core.kernel import operations
from renga_kernels_onednn.cache import find, same_bits
from renga_kernels_onednn.handles import Description, number
from renga_kernels_onednn.layout import laid_as, plain_layout
from renga_kernels_onednn.library import DIFF_DST, DIFF_SRC, DST, FORWARD_TRAINING, SRC
from renga_kernels_onednn.primitive import Primitive

__all__ = ["GELU", "GELUTanh", "SiLU", "Sigmoid", "Tanh", "supports_bfloat16"]


def supports_bfloat16(x: Array) -> bool:
    """Whether this is a bfloat16 array."""
    return is_bfloat16(x)


class _Eltwise:
    """A function; results have the memory order of the argument.

    Attributes:
        operation: Its name.
        algorithm: Its number in ``dnnl_types.h``.
        gradient: oneDNN's operation for the gradient, computed from the array that the function keeps.
        kept: Whether that is the argument (`SRC`) or the result (`DST`).
        alpha: Its first parameter.
    """

    operation: ClassVar[str]
    algorithm: ClassVar[int]
    gradient: ClassVar[int]
    kept: ClassVar[int] = SRC
    alpha: ClassVar[float] = 0.0

    @classmethod
    def forward(cls, x: Array) -> Array:
        """See the reference."""
        if cls.kept == SRC and not _are_finite(x):
            # oneDNN turns infinity into NaN, because it multiplies by a difference that is 0.
            wide: Array = operations[cls.operation].reference.forward(x.astype(np.float32))
            return wide.astype(x.dtype)
        y = np.empty_like(x)
        given = laid_as(y, x)
        find(x.size, _forward, x.size, cls.algorithm, cls.alpha)(address(given), address(y))
        return y

    @classmethod
    def backward(cls, kept: Array, gy: Array) -> Array:
        """See the reference."""
        gx = np.empty_like(kept)
        given = [laid_as(gx, x) for x in (kept, gy)]
        find(gx.size, _backward, gx.size, cls.gradient, cls.alpha, cls.kept)(*map(address, (*given, gx)))
        return gx


def _are_finite(x: Array) -> bool:
    """Whether no element is NaN or infinite: such an element has only ones in its exponent."""
    return bool((x.view(np.uint16) & 0x7FFF).max() < 0x7F80)


class Tanh(_Eltwise):
    """Operation ``tanh``."""

    operation = "tanh"
    algorithm, gradient, kept = 0x21, 0x101, DST


class Sigmoid(_Eltwise):
    """Operation ``sigmoid``."""

    operation = "sigmoid"
    algorithm, gradient, kept = 0x29, 0x104, DST


class SiLU(_Eltwise):
    """Operation ``silu``."""

    operation = "silu"
    algorithm = gradient = 0x2C
    alpha = 1.0


class GELU(_Eltwise):
    """Operation ``gelu``."""

    operation = "gelu"
    algorithm = gradient = 0x31


class GELUTanh(_Eltwise):
    """Operation ``gelu_tanh``."""

    operation = "gelu_tanh"
    algorithm = gradient = 0x2B


@same_bits
def _forward(size: int, algorithm: int, alpha: float) -> Primitive:
    return Primitive(_description(size, algorithm, alpha), (SRC, DST))


@same_bits
def _backward(size: int, algorithm: int, alpha: float, kept: int) -> Primitive:
    layout, forward = plain_layout((size,), 2), _description(size, algorithm, alpha)
    parameters = number(alpha), number(0.0)
    backward = Description("eltwise_backward", algorithm, layout, layout, layout, *parameters, forward)
    return Primitive(backward, (kept, DIFF_DST, DIFF_SRC))


def _description(size: int, algorithm: int, alpha: float) -> Description:
    layout = plain_layout((size,), 2)
    return Description("eltwise_forward", FORWARD_TRAINING, algorithm, layout, layout, number(alpha), number(0.0))
