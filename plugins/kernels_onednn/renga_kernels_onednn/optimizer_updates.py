"""Updates of parameters by gradients: each step of a formula is one pass over the arrays, by oneDNN's threads.

Arrays are processed piece by piece, so that a piece is still in the cache for the next pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from renga_backend_numpy.arrays import address, lie_alike
from renga_core.backend import Array
from renga_kernels_onednn.cache import find, same_bits
from renga_kernels_onednn.handles import Added, Description, Function, Layout
from renga_kernels_onednn.layout import plain_layout
from renga_kernels_onednn.library import (
    BINARY_ADD,
    BINARY_MULTIPLY,
    DST,
    FUNCTION_LINEAR,
    FUNCTION_POWER,
    FUNCTION_SQUARE_ROOT,
    OF_FIRST_POST_OP,
    SRC,
    SRC_1,
)
from renga_kernels_onednn.primitive import Primitive

__all__ = [
    "AdamUpdate",
    "CorrectedMomentumSGDUpdate",
    "MomentumSGDUpdate",
    "NesterovAGUpdate",
    "RMSpropUpdate",
    "SGDUpdate",
    "supports_adam",
    "supports_momentum",
    "supports_rmsprop",
    "supports_sgd",
]

Arrays = Sequence[Array]

_PIECE = 1 << 18
"""Elements in a piece: 4 MiB for Adam's four arrays."""

_LEAST = 1 << 13
"""Up to this number of elements NumPy is faster: the overhead of a call dominates."""

_ITEM = 4


def supports_sgd(param: Array, grad: Array, rate: float) -> bool:
    """Whether these are float32 arrays in the same order without gaps, and large enough."""
    return _are_large_and_alike(param, grad)


def supports_momentum(param: Array, grad: Array, v: Array, momentum: float, rate: float) -> bool:
    """As `supports_sgd`."""
    return _are_large_and_alike(param, grad, v)


def supports_adam(
    param: Array, grad: Array, m: Array, v: Array, beta1: float, beta2: float, eps: float, rate: float, keep: float
) -> bool:
    """As `supports_sgd`."""
    return _are_large_and_alike(param, grad, m, v)


def supports_rmsprop(param: Array, grad: Array, ms: Array, alpha: float, eps: float, rate: float) -> bool:
    """As `supports_sgd`."""
    return _are_large_and_alike(param, grad, ms)


class SGDUpdate:
    """Operation ``sgd_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, rate: float) -> None:
        """See the reference."""
        numbers = np.array([-rate], np.float32)
        minus_rate = address(numbers)
        for param, grad in zip(params, grads, strict=True):
            find(param.size, _mix, param.size, 1.0)(address(grad), minus_rate, address(param))


class MomentumSGDUpdate:
    """Operation ``momentum_sgd_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, vs: Arrays, momentum: float, rate: float) -> None:
        """See the reference."""
        numbers = np.array([-rate, 1], np.float32)
        minus_rate = address(numbers)
        one = minus_rate + _ITEM
        for size, (param, grad, v) in _pieces(params, grads, vs):
            find(size, _mix, size, momentum)(grad, minus_rate, v)
            find(size, _mix, size, 1.0)(v, one, param)


class CorrectedMomentumSGDUpdate:
    """Operation ``corrected_momentum_sgd_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, vs: Arrays, momentum: float, rate: float) -> None:
        """See the reference."""
        numbers = np.array([-1, rate], np.float32)
        minus_one = address(numbers)
        factor = minus_one + _ITEM
        for size, (param, grad, v) in _pieces(params, grads, vs):
            find(size, _mix, size, momentum)(grad, minus_one, v)
            find(size, _mix, size, 1.0)(v, factor, param)


class NesterovAGUpdate:
    """Operation ``nesterov_ag_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, vs: Arrays, momentum: float, rate: float) -> None:
        """See the reference."""
        numbers = np.array([-rate, momentum], np.float32)
        minus_rate = address(numbers)
        ahead = minus_rate + _ITEM
        for size, (param, grad, v) in _pieces(params, grads, vs):
            find(size, _mix, size, momentum)(grad, minus_rate, v)
            find(size, _mix, size, 1.0)(grad, minus_rate, param)
            find(size, _mix, size, 1.0)(v, ahead, param)


class RMSpropUpdate:
    """Operation ``rmsprop_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, squares: Arrays, alpha: float, eps: float, rate: float) -> None:
        """See the reference."""
        numbers = np.array([1 - alpha, 0, -rate], np.float32)
        rest, zero, minus_rate = range(address(numbers), address(numbers) + numbers.nbytes, _ITEM)
        for size, (param, grad, ms) in _pieces(params, grads, squares):
            find(size, _mix_square, size, alpha)(grad, grad, rest, ms)
            find(size, _step, size, eps, 1.0)(ms, zero, grad, minus_rate, param)


class AdamUpdate:
    """Operation ``adam_update``."""

    @staticmethod
    def forward(
        params: Arrays,
        grads: Arrays,
        means: Arrays,
        squares: Arrays,
        beta1: float,
        beta2: float,
        eps: float,
        rate: float,
        keep: float,
    ) -> None:
        """See the reference."""
        numbers = np.array([1 - beta1, 1 - beta2, 0, -rate], np.float32)
        rest1, rest2, zero, minus_rate = range(address(numbers), address(numbers) + numbers.nbytes, _ITEM)
        for size, (param, grad, m, v) in _pieces(params, grads, means, squares):
            find(size, _mix, size, beta1)(grad, rest1, m)
            find(size, _mix_square, size, beta2)(grad, grad, rest2, v)
            find(size, _step, size, eps, keep)(v, zero, m, minus_rate, param)


def _are_large_and_alike(param: Array, *others: Array) -> bool:
    return param.size > _LEAST and lie_alike(param, *others)  # the size first: most parameters are small


def _pieces(*lists: Arrays) -> Iterator[tuple[int, list[int]]]:
    """For each row: the sizes of its pieces, and the addresses at which they begin in each array of the row."""
    for row in zip(*lists, strict=True):
        starts, size = [address(x) for x in row], row[0].size
        for first in range(0, size, _PIECE):
            yield min(_PIECE, size - first), [start + first * _ITEM for start in starts]


@same_bits
def _mix(size: int, keep: float) -> Primitive:
    """``target = keep target + factor source``; called with source, factor, target."""
    x, one = plain_layout((size,)), plain_layout((1,))
    description = Description("binary", BINARY_MULTIPLY, x, one, x, and_then=[Added(keep)])
    return Primitive(description, (SRC, SRC_1, DST))


@same_bits
def _mix_square(size: int, keep: float) -> Primitive:
    """``target = keep target + factor source²``; called with source, source, factor, target."""
    x, one = plain_layout((size,)), plain_layout((1,))
    description = Description("binary", BINARY_MULTIPLY, x, x, x, and_then=[(BINARY_MULTIPLY, one), Added(keep)])
    return Primitive(description, (SRC, SRC_1, OF_FIRST_POST_OP | SRC_1, DST))


@same_bits
def _step(size: int, eps: float, keep: float) -> Primitive:
    """``target = keep target + factor mean / (√square + eps)``; called with square, zero, mean, factor, target.

    oneDNN applies functions only to the result of an operation. So zero is added to the array, and the root follows.
    """
    x, one = plain_layout((size,)), plain_layout((1,))
    steps: list[Added | Function | tuple[int, Layout]] = [
        Function(FUNCTION_SQUARE_ROOT),
        Function(FUNCTION_LINEAR, 1.0, eps),
        Function(FUNCTION_POWER, 1.0, -1.0),
        (BINARY_MULTIPLY, x),
        (BINARY_MULTIPLY, one),
        Added(keep),
    ]
    description = Description("binary", BINARY_ADD, x, one, x, and_then=steps)
    return Primitive(description, (SRC, SRC_1, 4 * OF_FIRST_POST_OP | SRC_1, 5 * OF_FIRST_POST_OP | SRC_1, DST))
