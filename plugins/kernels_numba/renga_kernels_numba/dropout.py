"""Dropout, also with a residual: the same elements as with the reference, drawn by all threads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import DROPOUT_STEPS

__all__ = ["Dropout", "DropoutAdd", "supports", "supports_add"]

_FORWARD = Loop("dropout:dropout", "f4* f4* u1* i8 u8* i8 i8 f8")
_ADD = Loop("dropout:dropout_add", "f4* f4* f4* u1* i8 u8* i8 i8 f8")
_BACKWARD = Loop("dropout:dropout_gradient", "u1* f4* f4* i8 f8", alone=8)

_SINGLE = np.dtype(np.float32)
_LOW = (1 << 64) - 1

_LEAST = 1 << 12
"""Up to this number of elements NumPy is faster: reading and setting the state of a generator takes 5 µs."""


def supports(x: Array, generator: Any, ratio: float) -> bool:
    """Whether this is a large float32 array, and the generator NumPy's default one."""
    return bool(
        x.size > _LEAST
        and x.dtype == _SINGLE
        and x.flags.aligned
        and type(getattr(generator, "bit_generator", None)) is np.random.PCG64
    )


def supports_add(x: Array, residual: Array, generator: Any, ratio: float) -> bool:
    """As `supports`, for two arrays of one shape and dtype."""
    return (
        supports(x, generator, ratio)
        and residual.shape == x.shape
        and bool(residual.dtype == _SINGLE and residual.flags.aligned)
    )


class Dropout:
    """Operation ``dropout``. It keeps one byte per element."""

    @staticmethod
    def forward(x: Array, generator: Any, ratio: float) -> tuple[Array, Array]:
        """See the reference."""
        return _drop(_FORWARD, (x,), generator, ratio)

    @staticmethod
    def backward(kept: Array, gy: Array, ratio: float) -> Array:
        """See the reference."""
        gy = np.ascontiguousarray(gy)
        gx = np.empty(gy.shape, np.float32)
        pieces = -(-gy.size // (2 * DROPOUT_STEPS))
        _BACKWARD(pieces, address(kept), address(gy), address(gx), gy.size, 1 / (1 - ratio))
        return gx


class DropoutAdd:
    """Operation ``dropout_add``. It keeps the same, and its gradient of `x` is that of dropout."""

    backward = staticmethod(Dropout.backward)

    @staticmethod
    def forward(x: Array, residual: Array, generator: Any, ratio: float) -> tuple[Array, Array]:
        """See the reference."""
        return _drop(_ADD, (x, residual), generator, ratio)


def _drop(loop: Loop, inputs: tuple[Array, ...], generator: Any, ratio: float) -> tuple[Array, Array]:
    """Run a loop on these inputs, and advance the generator. Return the result and the mask."""
    dense = [np.ascontiguousarray(x) for x in inputs]
    shape, size = dense[0].shape, dense[0].size
    y, mask = np.empty(shape, np.float32), np.empty(size + 8, np.uint8)
    # Float32 numbers are multiples of 2⁻²⁴, and compared with the ratio in float32.
    threshold = math.ceil(float(np.float32(ratio)) * (1 << 24))
    source = generator.bit_generator
    with source.lock:
        state = source.state
        first = state["has_uint32"]  # half of the last 64 bits is left
        if first:
            mask[0] = state["uinteger"] >> 8 >= threshold
        parts = state["state"]["state"], state["state"]["inc"]
        words = [half for number in parts for half in divmod(number, 1 << 64)]
        numbers = np.array(words, np.uint64)
        steps = -(-(size - first) // 2)
        addresses = [address(x) for x in (*dense, y, mask)]
        pieces = max(1, -(-steps // DROPOUT_STEPS))
        loop(pieces, *addresses, size, address(numbers), first, threshold, 1 / (1 - ratio))
        _advance(source, steps, (size - first) % 2)
    return y, mask


def _advance(source: np.random.PCG64, steps: int, half_left: int) -> None:
    """Advance a generator as if it had drawn these numbers."""
    source.advance(steps)
    state: Any = source.state
    high, low = divmod(state["state"]["state"], 1 << 64)
    mixed, turn = high ^ low, high >> 58
    number = (mixed >> turn | mixed << (64 - turn)) & _LOW
    state.update(has_uint32=half_left, uinteger=number >> 32)
    source.state = state
