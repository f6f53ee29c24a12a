"""Building blocks of loops: decorators, pointer types, and instructions that numba has no name for.

`fastmath` allows contraction of products and sums (one rounding instead of two), and nothing else. So NaN and infinity
behave as in NumPy. ``sum_loop`` also allows another order of additions, so that the processor adds 16 numbers at once;
the order is fixed for a given processor, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, TypeAlias

import numba
from llvmlite import ir
from numba import types
from numba.core import typing
from numba.extending import intrinsic

__all__ = [
    "Float",
    "Floats",
    "Longs",
    "arguments_of",
    "bits",
    "exact",
    "floats_at",
    "from_bits",
    "inline",
    "key",
    "loop",
    "multiply_high",
    "sum_loop",
    "take",
]

Float: TypeAlias = Any
"""A float32."""

Floats: TypeAlias = MutableSequence[Any]
"""A pointer to float32 or float64; to uint16 for bfloat16, which `renga_kernels_numba.loops.numbers` reads."""

Longs: TypeAlias = MutableSequence[int]
"""A pointer to integers."""

_OPTIONS: dict[str, Any] = {"forceinline": True, "error_model": "numpy", "boundscheck": False}

loop = numba.njit(fastmath={"contract"}, **_OPTIONS)
"""Decorator of a loop."""

sum_loop = numba.njit(fastmath={"contract", "reassoc"}, **_OPTIONS)
"""Decorator of a loop, or part of a loop, whose sums may be added in another order. Do not use it for functions that
rely on the rounding of a sum; `inline` functions that they call keep their own rules."""

inline = loop
"""Decorator of a function that loops call; it is inlined."""

exact = numba.njit(fastmath=False, **_OPTIONS)
"""As `inline`, without contraction: each operation is rounded as in NumPy, so results equal the reference's.
Without ``fastmath=False`` a function would get the rules of its caller."""

_SCALARS = {
    "f4": types.float32,
    "f8": types.float64,
    "i4": types.int32,
    "i8": types.int64,
    "u1": types.uint8,
    "u2": types.uint16,
    "u4": types.uint32,
    "u8": types.uint64,
}

_LONG = ir.IntType(64)


def arguments_of(signature: str) -> Any:
    """Return a function for loops that turns the data pointer into a tuple of the arguments.

    Args:
        signature: As in `renga_kernels_numba.loop.Loop`.
    """
    wanted = [types.CPointer(_SCALARS[t[:-1]]) if t.endswith("*") else _SCALARS[t] for t in signature.split()]
    made = types.Tuple(wanted)

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        values = []
        for place, wanted_type in enumerate(wanted, 2):  # behind the counter and the number of pieces
            kind = context.get_value_type(wanted_type).as_pointer()
            values.append(builder.load(builder.bitcast(builder.gep(given[0], [_LONG(place)]), kind)))
        return context.make_tuple(builder, made, values)

    @intrinsic
    def arguments(context: Any, data: Any) -> tuple[Any, Callable[..., Any]]:
        """Load the arguments."""
        return typing.signature(made, data), generate

    return arguments


@intrinsic
def take(context: Any, data: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the number at a pointer and increment it; no two threads get the same number."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        return builder.atomic_rmw("add", given[0], _LONG(1), "monotonic")

    return typing.signature(types.int64, data), generate


@intrinsic
def floats_at(context: Any, address: Any) -> tuple[Any, Callable[..., Any]]:
    """The pointer to float32 at an address."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        return builder.inttoptr(given[0], ir.FloatType().as_pointer())

    return typing.signature(types.CPointer(types.float32), types.int64), generate


@intrinsic
def bits(context: Any, x: Any) -> tuple[Any, Callable[..., Any]]:
    """The bits of a float32, as an int32."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        return builder.bitcast(given[0], ir.IntType(32))

    return typing.signature(types.int32, types.float32), generate


@intrinsic
def from_bits(context: Any, x: Any) -> tuple[Any, Callable[..., Any]]:
    """The float32 with the bits of an int32."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        return builder.bitcast(given[0], ir.FloatType())

    return typing.signature(types.float32, types.int32), generate


@inline
def key(x: Float) -> Any:
    """An integer with the same order as x: the processor computes 16 integer maxima at once, unlike float maxima.

    NaN is beyond infinity, on the side of its sign.
    """
    pattern = bits(x)
    return pattern ^ ((pattern >> 31) & types.int32(0x7FFFFFFF))


@intrinsic
def multiply_high(context: Any, a: Any, b: Any) -> tuple[Any, Callable[..., Any]]:
    """The upper half of the product of two unsigned 64-bit integers."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(given[0], wide), builder.zext(given[1], wide))
        return builder.trunc(builder.lshr(product, wide(64)), _LONG)

    return typing.signature(types.uint64, types.uint64, types.uint64), generate
