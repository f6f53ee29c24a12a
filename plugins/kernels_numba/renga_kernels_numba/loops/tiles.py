"""Products of small matrices for loops. A tile of the result stays in registers while it grows.

The second matrix is packed: it has columns in panels of `LANES`, ``(columns / LANES, inner, LANES)``. Tiles that reach
the processor's peak are 6 to 12 rows by two vectors, and five by four, with AVX-512, whose registers hold 32 vectors of
16 float32; and three to six by one with AVX2, whose registers hold eight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.extending import intrinsic

from renga_kernels_numba.availability import has_avx512
from renga_kernels_numba.loops.intrinsics import Floats, inline
from renga_kernels_numba.loops.pieces import LANES

__all__ = ["HIGH", "add_product", "add_transposed_product", "clear", "pack_columns", "pack_rows"]

_LONG = ir.IntType(64)
_INDEX = ir.IntType(32)
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)


def _shuffled(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INDEX, LANES), lanes))


def _place(builder: Any, pointer: Any, at: Any, *steps: tuple[Any, int]) -> Any:
    """The pointer to the element at `at`, and so many steps on."""
    for step, number in steps:
        at = builder.add(at, builder.mul(step, _LONG(number)))
    return builder.gep(pointer, [at])


def _vector_at(builder: Any, pointer: Any) -> Any:
    return builder.bitcast(pointer, _VECTOR.as_pointer())


def _add_tile(builder: Any, rows: int, vectors: int, transposed: bool, given: Any) -> None:
    """Add a product to a tile of `rows` by `vectors` in memory. For the arguments see `_tiles`."""
    a, at_a, step_a, b, at_b, panel, y, at_y, row_y, vector_y, inner = given
    # One of the steps is known to be 1: with two unknown ones, addresses would take longer than the products.
    row_a, column_a = (_LONG(1), step_a) if transposed else (step_a, _LONG(1))
    name, kind = f"llvm.fma.v{LANES}f32", ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    fma = cgutils.get_or_insert_function(builder.module, kind, name)
    tile = [(row, vector) for row in range(rows) for vector in range(vectors)]
    results = [_vector_at(builder, _place(builder, y, at_y, (row_y, row), (vector_y, vector))) for row, vector in tile]
    before = [builder.load(result, align=4) for result in results]
    starts = [_place(builder, a, at_a, (row_a, row)) for row in range(rows)]
    panels = [_place(builder, b, at_b, (panel, vector)) for vector in range(vectors)]

    entry, body, end = builder.block, builder.append_basic_block("body"), builder.append_basic_block("end")
    builder.branch(body)
    builder.position_at_end(body)
    k = builder.phi(_LONG)
    k.add_incoming(_LONG(0), entry)
    sums = [builder.phi(_VECTOR) for _ in tile]
    at = builder.mul(k, _LONG(LANES))
    columns = [builder.load(_vector_at(builder, builder.gep(start, [at])), align=4) for start in panels]
    factors = []
    for start in starts:
        number = builder.load(builder.gep(start, [builder.mul(k, column_a)]))
        first = builder.insert_element(_UNDEFINED, number, _INDEX(0))
        factors.append(_shuffled(builder, first, _UNDEFINED, [0] * LANES))
    after = [
        builder.call(fma, [factors[row], columns[vector], total])
        for (row, vector), total in zip(tile, sums, strict=True)
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


def _tiles(lowest: int, highest: int, vectors: int, transposed: bool) -> Any:
    """A function that adds a product to a tile of `lowest` to `highest` rows by `vectors` in memory.

    Its arguments: the number of rows; `a`, the place in it, the step to the next row, or to the next column
    if it is transposed; `b`, packed, the place in it, the step to the next panel; `y`, the place of the tile in it, the
    steps to the next row and to the next vector; `inner`, at least 1. Each element is added up from the first product
    to the last, with one rounding for each.
    """

    name = f"renga_tiles_{lowest}_{highest}_{vectors}" + "_transposed" * transposed

    def define(function: Any) -> None:
        function.linkage = "internal"
        function.attributes.add("noinline")  # it is long; so it is compiled once, not once for each call
        entry, end = function.append_basic_block("entry"), function.append_basic_block("end")
        rows, *others = function.args
        choice = ir.IRBuilder(entry).switch(rows, end)
        for number in range(lowest, highest + 1):
            block = function.append_basic_block(f"rows_{number}")
            choice.add_case(_LONG(number), block)
            builder = ir.IRBuilder(block)
            _add_tile(builder, number, vectors, transposed, others)
            builder.branch(end)
        ir.IRBuilder(end).ret_void()

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        function = builder.module.globals.get(name)
        if function is None:
            kind = ir.FunctionType(ir.VoidType(), [argument.type for argument in given])
            function = ir.Function(builder.module, kind, name)
            define(function)
        builder.call(function, given)
        return context.get_dummy_value()

    @intrinsic
    def add_tile(
        context: Any,
        rows: Any,
        a: Any,
        at_a: Any,
        step_a: Any,
        b: Any,
        at_b: Any,
        panel: Any,
        y: Any,
        at_y: Any,
        row_y: Any,
        vector_y: Any,
        inner: Any,
    ) -> tuple[Any, Callable[..., Any]]:
        given = rows, a, at_a, step_a, b, at_b, panel, y, at_y, row_y, vector_y, inner
        return typing.signature(types.void, *given), generate

    return add_tile


_WIDE = has_avx512()
HIGH = 12 if _WIDE else 6
_HALF = 6
"""Rows of the highest tile of one vector. With AVX-512, more rows have tiles of two vectors."""


@inline
def _height(rows: int, highest: int) -> int:
    """Rows of the next tile: as few tiles as possible, of about the same height. A low tile waits for its additions."""
    return -(-rows // -(-rows // highest))


def _product(transposed: bool) -> Any:
    """A function that adds a product to a matrix in memory."""
    by_four = _tiles(1, _HALF - 1, 4, transposed)
    by_two = _tiles(_HALF, HIGH, 2, transposed)
    by_one = _tiles(1, _HALF, 1, transposed)

    @inline
    def add(
        rows: int,
        vectors: int,
        inner: int,
        a: Floats,
        at_a: int,
        step_a: int,
        b: Floats,
        at_b: int,
        panel: int,
        y: Floats,
        at_y: int,
        row_y: int,
        vector_y: int,
    ) -> None:
        """Add ``(rows, inner) @ (inner, vectors * LANES)``. The order of additions to an element is that of `inner`.

        Args:
            rows, vectors, inner: Sizes.
            a, at_a, step_a: The first matrix, whose rows are contiguous: the place of its first element, the step to
                the next row. Of `add_transposed_product` its columns are contiguous, and the step is to the next one.
            b, at_b, panel: The second one, packed: its place, the step to the next panel.
            y, at_y, row_y, vector_y: The result: its place, the steps to the next row, and to the next vector of a row.
        """
        if inner < 1:
            return
        row_a = 1 if transposed else step_a
        vector = 0
        while vector < vectors:
            to_b, to_y = at_b + vector * panel, at_y + vector * vector_y
            row = 0
            if _WIDE and rows < _HALF and vector + 4 <= vectors:
                by_four(rows, a, at_a, step_a, b, to_b, panel, y, to_y, row_y, vector_y, inner)
                vector += 4
            elif _WIDE and rows >= _HALF and vector + 2 <= vectors:
                while row < rows:
                    high = _height(rows - row, HIGH)
                    at, to = at_a + row * row_a, to_y + row * row_y
                    by_two(high, a, at, step_a, b, to_b, panel, y, to, row_y, vector_y, inner)
                    row += high
                vector += 2
            else:
                while row < rows:
                    high = _height(rows - row, _HALF)
                    by_one(high, a, at_a + row * row_a, step_a, b, to_b, 0, y, to_y + row * row_y, row_y, 0, inner)
                    row += high
                vector += 1

    return add


add_product, add_transposed_product = _product(False), _product(True)


@intrinsic
def _transpose(context: Any, source: Any, at: Any, step: Any, target: Any, to: Any) -> tuple[Any, Callable[..., Any]]:
    """Write 16 rows of 16 numbers, `step` from one to the next, as columns, one after another.

    Four times the halves of pairs of rows change places: single numbers, then twos, fours and eights.
    """

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        source, at, step, target, to = given
        rows = [
            builder.load(_vector_at(builder, _place(builder, source, at, (step, row))), align=4) for row in range(LANES)
        ]
        size = 1
        while size < LANES:
            upper = [lane if not lane & size else LANES + lane - size for lane in range(LANES)]
            lower = [lane + size if not lane & size else LANES + lane for lane in range(LANES)]
            for row in [row for row in range(LANES) if not row & size]:
                a, b = rows[row], rows[row + size]
                rows[row], rows[row + size] = _shuffled(builder, a, b, upper), _shuffled(builder, a, b, lower)
            size *= 2
        for number, row in enumerate(rows):
            place = builder.gep(target, [builder.add(to, _LONG(number * LANES))])
            builder.store(row, _vector_at(builder, place), align=4)
        return context.get_dummy_value()

    return typing.signature(types.void, source, at, step, target, to), generate


@intrinsic
def _copy(context: Any, source: Any, at: Any, target: Any, to: Any) -> tuple[Any, Callable[..., Any]]:
    """Copy a vector."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        source, at, target, to = given
        vector = builder.load(_vector_at(builder, builder.gep(source, [at])), align=4)
        builder.store(vector, _vector_at(builder, builder.gep(target, [to])), align=4)
        return context.get_dummy_value()

    return typing.signature(types.void, source, at, target, to), generate


@inline
def pack_rows(rows: int, inner: int, source: Floats, at: int, step: int, target: Floats, to: int) -> None:
    """Pack the transpose of ``(rows, inner)``; incomplete panels are padded with zeros.

    Args:
        rows, inner: Sizes.
        source, at, step: The matrix: the place of its first element, the step to the next row.
        target, to: Where to: its place.
    """
    for first in range(0, rows, LANES):
        k = 0
        if first + LANES <= rows:
            while k + LANES <= inner:
                _transpose(source, at + first * step + k, step, target, to + first * inner + k * LANES)
                k += LANES
        while k < inner:
            for lane in range(LANES):
                number = source[at + (first + lane) * step + k] if first + lane < rows else 0
                target[to + first * inner + k * LANES + lane] = number
            k += 1


@inline
def pack_columns(inner: int, columns: int, source: Floats, at: int, step: int, target: Floats, to: int) -> None:
    """Pack ``(inner, columns)``; columns are a multiple of `LANES`. Arguments as of `pack_rows`."""
    for first in range(0, columns, LANES):
        for k in range(inner):
            _copy(source, at + k * step + first, target, to + first * inner + k * LANES)


@inline
def clear(rows: int, columns: int, y: Floats, at: int, step: int) -> None:
    """Set a part of a matrix to zeros."""
    for row in range(rows):
        for column in range(columns):
            y[at + row * step + column] = 0
