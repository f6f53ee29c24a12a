"""Reading and writing float32 and bfloat16: a loop is written once, and compiled for pointers to either.

bfloat16 is the upper half of a float32, so a pointer to it is one to uint16.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import typing
from numba.extending import intrinsic

__all__ = ["read", "write"]

_HALF, _SINGLE, _FLOAT = ir.IntType(16), ir.IntType(32), ir.FloatType()


@intrinsic
def read(context: Any, pointer: Any, i: Any) -> tuple[Any, Callable[..., Any]]:
    """Element `i`, as a float32."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        number = builder.load(builder.gep(given[0], [given[1]]))
        if pointer.dtype == types.float32:
            return number
        return builder.bitcast(builder.shl(builder.zext(number, _SINGLE), _SINGLE(16)), _FLOAT)

    return typing.signature(types.float32, pointer, types.int64), generate


@intrinsic
def write(context: Any, pointer: Any, i: Any, number: Any) -> tuple[Any, Callable[..., Any]]:
    """Store a float32 as element `i`; bfloat16 is rounded to the nearest, halves to even, and NaN stays NaN."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        place, value = builder.gep(given[0], [given[1]]), given[2]
        if pointer.dtype != types.float32:
            bits = builder.bitcast(value, _SINGLE)
            even = builder.and_(builder.lshr(bits, _SINGLE(16)), _SINGLE(1))
            rounded = builder.add(bits, builder.add(even, _SINGLE(0x7FFF)))
            nan = builder.or_(bits, _SINGLE(0x400000))
            bits = builder.select(builder.fcmp_unordered("uno", value, value), nan, rounded)
            value = builder.trunc(builder.lshr(bits, _SINGLE(16)), _HALF)
        builder.store(value, place)
        return context.get_dummy_value()

    return typing.signature(types.void, pointer, types.int64, types.float32), generate
