"""Products of matrices for loops that multiply few rows, and waiting for another piece.

A tile of the result stays in registers while it grows: so many rows by vectors of 16 float32, of AVX-512.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.extending import intrinsic

from renga_kernels_numba.loops.intrinsics import Floats, Longs, inline
from renga_kernels_numba.loops.pieces import LANES

__all__ = ["add_product_of_four", "add_product_of_one", "finish", "wait"]

_LONG = ir.IntType(64)
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_SPINS = 2000
"""Looks, of some 20 ns each, before a thread offers its core to others between looks."""


def _tile(rows: int, vectors: int) -> Any:
    """A function that adds a product to a tile of `rows` by `vectors` in memory.

    Its arguments: `a`, the place of the first row in it, and the step to the next row; `b`, packed ``(inner, vectors *
    LANES)``, and the place in it; `y`, the place of the tile in it, the steps to the next row and to the next vector;
    `inner`, at least 1. Each element is added up from the first product to the last, with one rounding for each.
    """

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        a, at_a, step_a, b, at_b, y, at_y, step_row, step_vector, inner = given

        def place(pointer: Any, *offsets: Any) -> Any:
            for offset in offsets:
                pointer = builder.gep(pointer, [offset])
            return pointer

        def vector_at(pointer: Any) -> Any:
            return builder.bitcast(pointer, _VECTOR.as_pointer())

        fma = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), f"llvm.fma.v{LANES}f32"
        )
        results = [
            vector_at(place(y, at_y, builder.mul(step_row, _LONG(row)), builder.mul(step_vector, _LONG(vector))))
            for row in range(rows)
            for vector in range(vectors)
        ]
        before = [builder.load(result, align=4) for result in results]
        row_starts = [place(a, at_a, builder.mul(step_a, _LONG(row))) for row in range(rows)]
        b = place(b, at_b)

        entry, body, end = builder.block, builder.append_basic_block("body"), builder.append_basic_block("end")
        builder.branch(body)
        builder.position_at_end(body)
        k = builder.phi(_LONG)
        k.add_incoming(_LONG(0), entry)
        sums = [builder.phi(_VECTOR) for _ in results]
        columns = [
            builder.load(vector_at(place(b, builder.mul(k, _LONG(vectors * LANES)), _LONG(vector * LANES))), align=4)
            for vector in range(vectors)
        ]
        after = []
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        first = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        for row in range(rows):
            number = builder.insert_element(undefined, builder.load(place(row_starts[row], k)), ir.IntType(32)(0))
            factor = builder.shuffle_vector(number, undefined, first)
            after += [
                builder.call(fma, [factor, column, sums[row * vectors + vector]])
                for vector, column in enumerate(columns)
            ]
        next_k = builder.add(k, _LONG(1))
        k.add_incoming(next_k, body)
        for total, old, new in zip(sums, before, after, strict=True):
            total.add_incoming(old, entry)
            total.add_incoming(new, body)
        builder.cbranch(builder.icmp_signed("<", next_k, inner), body, end)
        builder.position_at_end(end)
        for new, result in zip(after, results, strict=True):
            builder.store(new, result, align=4)
        return context.get_dummy_value()

    @intrinsic
    def add_product(
        context: Any,
        a: Any,
        at_a: Any,
        step_a: Any,
        b: Any,
        at_b: Any,
        y: Any,
        at_y: Any,
        row: Any,
        vector: Any,
        n: Any,
    ) -> tuple[Any, Callable[..., Any]]:
        return typing.signature(types.void, a, at_a, step_a, b, at_b, y, at_y, row, vector, n), generate

    return add_product


# Five rows by four vectors, and ten by one, reach the processor's peak; more, and sums do not stay in registers.
_five_by_four, _one_by_four = _tile(5, 4), _tile(1, 4)
_ten_by_one, _one_by_one = _tile(10, 1), _tile(1, 1)


@inline
def add_product_of_four(
    rows: int,
    a: Floats,
    at_a: int,
    step_a: int,
    b: Floats,
    at_b: int,
    y: Floats,
    at_y: int,
    step: int,
    gap: int,
    n: int,
) -> None:
    """Add ``(rows, n) @ (n, 4 * LANES)`` to four vectors of each row of `y`.

    Args:
        rows: How many.
        a, at_a, step_a: The first matrix, the place of its first row, the step to the next.
        b, at_b: The second one, and its place.
        y, at_y, step, gap: The result, its place, the step to the next row, and to the next vector in it.
        n: The inner size.
    """
    row = 0
    while row + 5 <= rows:
        _five_by_four(a, at_a + row * step_a, step_a, b, at_b, y, at_y + row * step, step, gap, n)
        row += 5
    while row < rows:
        _one_by_four(a, at_a + row * step_a, step_a, b, at_b, y, at_y + row * step, step, gap, n)
        row += 1


@inline
def add_product_of_one(
    rows: int, a: Floats, at_a: int, step_a: int, b: Floats, at_b: int, y: Floats, at_y: int, step: int, n: int
) -> None:
    """Add ``(rows, n) @ (n, LANES)`` to a vector of each row of `y`. Arguments as of `add_product_of_four`."""
    row = 0
    while row + 10 <= rows:
        _ten_by_one(a, at_a + row * step_a, step_a, b, at_b, y, at_y + row * step, step, 0, n)
        row += 10
    while row < rows:
        _one_by_one(a, at_a + row * step_a, step_a, b, at_b, y, at_y + row * step, step, 0, n)
        row += 1


@intrinsic
def finish(context: Any, counters: Any, at: Any) -> tuple[Any, Callable[..., Any]]:
    """Count one more piece of those that a counter counts; what it wrote can be read by those who `wait` for it."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        builder.atomic_rmw("add", builder.gep(given[0], [given[1]]), _LONG(1), "release")
        return context.get_dummy_value()

    return typing.signature(types.void, counters, at), generate


@intrinsic
def _look(context: Any, counters: Any, at: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        return builder.load_atomic(builder.gep(given[0], [given[1]]), "acquire", 8)

    return typing.signature(types.int64, counters, at), generate


def _call(name: str, result: Any) -> Any:
    """A function that calls one of C without arguments."""

    @intrinsic
    def call(context: Any) -> tuple[Any, Callable[..., Any]]:
        def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
            builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, []), name), [])
            return context.get_dummy_value()

        return typing.signature(types.void), generate

    return call


_pause, _yield_core = _call("llvm.x86.sse2.pause", ir.VoidType()), _call("sched_yield", ir.IntType(32))


@inline
def wait(counters: Longs, at: int, number: int) -> None:
    """Wait until a counter has come to a number.

    Only for pieces that come before this one: other threads have taken them already, so they will be finished.
    """
    looks = 0
    while _look(counters, at) < number:
        looks += 1
        if looks < _SPINS:
            _pause()
        else:
            _yield_core()
