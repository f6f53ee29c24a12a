"""Kernels that change many arrays in one launch: rows of arrays of the same shape, of whatever shapes.

A block changes one piece of the arrays of one row. Where all of them begin at a multiple of their vectors' size, a
thread reads and writes four elements at once; otherwise, and at the end of an array, one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy import captured_numbers
from renga_backend_cupy.kernels.arguments import PIECE_OF_BLOCK, THREADS, blocks_of, rows_for
from renga_backend_cupy.kernels.layout import FOUR, memory_order
from renga_core.backend import Array

__all__ = ["READ_ONLY", "ManyArrays"]

READ_ONLY = ("grad", "value")
"""The names of lists whose arrays no kernel writes."""

_SOURCE = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef __half float16;
typedef __nv_bfloat16 bfloat16;
"""

_UPDATE = """
template <class K> struct Tensors {
  $FIELDS
  $OF_ROWS
  long long size[$ROWS];
  int first[$ROWS];  // of its blocks
  int count;
};

struct Numbers { double $NUMBERS; };

template <class T> static __device__ bool aligned(const T* array) {
  return (unsigned long long)array % alignof(Four<T>) == 0;
}

template <class K> static __device__ void update(const Tensors<K>& tensors, const Numbers& numbers) {
  typedef typename K::wide T;
  long long begin, end;
  const int which = piece_of_block(tensors, begin, end), count = (int)(end - begin);
  $POINTERS
  $LOCALS
  const auto change = [&]($ELEMENTS) { $BODY };
  int done = 0;
  if ($ALIGNED) {
    done = count / 4 * 4;
    for (int i = 4 * threadIdx.x; i < done; i += 4 * blockDim.x) {
      $LOAD
      for (int k = 0; k < 4; ++k) change($OF_VECTORS);
      $STORE
    }
  }
  for (int i = done + threadIdx.x; i < count; i += blockDim.x) change($OF_ARRAYS);
}
"""

_ENTRY = """
struct Of_$KIND { typedef $WIDE wide; $TYPES };

extern "C" __global__ void $NAME_$KIND(Tensors<Of_$KIND> tensors, Numbers numbers) {
  update<Of_$KIND>(tensors, numbers);
}

extern "C" __global__ void captured_$NAME_$KIND(Tensors<Of_$KIND> tensors, const double* numbers) {
  if (numbers[0] != 0) update<Of_$KIND>(tensors, *(const Numbers*)(numbers + 1));
}
"""


class ManyArrays:
    """A kernel on lists of arrays and some numbers. In a captured step, the numbers may be others in each replay.

    Args:
        name: Name of the kernel, for profilers.
        lists: Names of the arrays of a row, in the order of the operation's arguments.
        numbers: Names of the numbers that follow; in the body they have the type that is computed in.
        kinds: By name, the types of the arrays of a row in C++, in the order of `lists`, and before them the type that
            is computed in. The name of a kind is made of the names of the arrays' dtypes, see `kind_of`.
        body: What is done to an element, in C++, where each name of `lists` is that array's element.
        constants: What is computed of the numbers before, in C++, in double precision by ``numbers.name``.
        of_rows: Names of numbers of which each row has its own; their lists follow those of the arrays. In a captured
            step they are the same in each replay.
    """

    def __init__(
        self,
        name: str,
        lists: Sequence[str],
        numbers: Sequence[str],
        kinds: dict[str, tuple[str, ...]],
        body: str,
        constants: str = "",
        of_rows: Sequence[str] = (),
    ) -> None:
        self._name, self._lists, self._of_rows = name, tuple(lists), tuple(of_rows)
        self.rows = rows_for(addresses=len(lists) + len(of_rows), numbers=len(numbers))
        addresses = [(each, np.uint64, self.rows) for each in lists]
        own = [(each, np.float64, self.rows) for each in of_rows]
        sizes = [("size", np.int64, self.rows), ("first", np.int32, self.rows), ("count", np.int32)]
        self.table = np.dtype([*addresses, *own, *sizes], align=True)
        self.numbers = np.dtype([(each, np.float64) for each in numbers])
        self.code = self._code(tuple(numbers), kinds, body, constants)
        self._module = cupy.RawModule(code=self.code)

    def _code(self, numbers: tuple[str, ...], kinds: dict[str, tuple[str, ...]], body: str, constants: str) -> str:
        made, lists, of_rows = _SOURCE + PIECE_OF_BLOCK + FOUR + _UPDATE, self._lists, self._of_rows
        values = {x: f"numbers.{x}" for x in numbers} | {x: f"tensors.{x}[which]" for x in of_rows}
        written = [name for name in lists if name not in READ_ONLY]
        for word, text in {
            "$FIELDS": " ".join(f"typename K::{x}* {x}[{self.rows}];" for x in lists),
            "$OF_ROWS": " ".join(f"double {x}[{self.rows}];" for x in of_rows),
            "$NUMBERS": ", ".join(numbers),
            "$POINTERS": " ".join(f"typename K::{x}* const {x}s = tensors.{x}[which] + begin;" for x in lists),
            "$LOCALS": " ".join(f"const T {x} = (T){value};" for x, value in values.items()) + constants,
            "$ELEMENTS": ", ".join(f"typename K::{x}{'&' if x in written else ''} {x}" for x in lists),
            "$BODY": body,
            "$ALIGNED": " && ".join(f"aligned({x}s)" for x in lists),
            "$LOAD": " ".join(
                f"Four<typename K::{x}> {x}4 = *(const Four<typename K::{x}>*)({x}s + i);" for x in lists
            ),
            "$OF_VECTORS": ", ".join(f"{x}4.of[k]" for x in lists),
            "$STORE": " ".join(f"*(Four<typename K::{x}>*)({x}s + i) = {x}4;" for x in written),
            "$OF_ARRAYS": ", ".join(f"{x}s[i]" for x in lists),
            "$ROWS": str(self.rows),
        }.items():
            made = made.replace(word, text)
        for kind, (wide, *types) in kinds.items():
            named = " ".join(f"typedef {type_} {name};" for name, type_ in zip(lists, types, strict=True))
            entry = _ENTRY.replace("$NAME", self._name).replace("$KIND", kind)
            made += entry.replace("$WIDE", wide).replace("$TYPES", named)
        return made

    def kind_of(self, row: tuple[Array, ...]) -> str:
        """The name of the kind for a row: its dtype, if all have one."""
        return str(row[0].dtype.name)

    def forward(self, *args: Any) -> None:
        """Like the reference: lists, and then numbers."""
        count = len(self._lists) + len(self._of_rows)
        lists, values = args[:count], args[count:]
        captured = captured_numbers.current()
        numbers: Any = np.array(values, self.numbers)
        if captured is not None:
            numbers = captured.take(values, len(lists[0]))
            if numbers is None:
                return  # a graph will do it
        alike: dict[str, list[tuple[Any, ...]]] = {}
        for row in zip(*lists, strict=True):
            alike.setdefault(self.kind_of(row), []).append(row)
        for kind, rows in alike.items():
            name = f"{self._name}_{kind}"
            launch = self._module.get_function(name if captured is None else f"captured_{name}")
            for start in range(0, len(rows), self.rows):
                self._launch(launch, rows[start : start + self.rows], numbers)

    def _launch(self, launch: Any, rows: Sequence[tuple[Any, ...]], numbers: Any) -> None:
        table, arrays = np.zeros((), self.table), len(self._lists)
        for name, own in zip(self._of_rows, zip(*[row[arrays:] for row in rows], strict=True), strict=True):
            table[name][: len(rows)] = own
        rows = [row[:arrays] for row in rows]
        rows = [row if row[0].flags.c_contiguous else _in_memory_order(row) for row in rows]
        dense = [[cupy.ascontiguousarray(x) for x in row] for row in rows]
        for name, column in zip(self._lists, zip(*dense, strict=True), strict=True):
            table[name][: len(rows)] = [x.data.ptr for x in column]
        sizes = [row[0].size for row in dense]
        blocks = blocks_of([row[0] for row in dense])
        table["size"][: len(rows)], table["first"][: len(rows)], table["count"] = sizes, blocks[:-1], len(rows)
        if blocks[-1]:
            launch((int(blocks[-1]),), (THREADS,), (table, numbers))
        for row, copies in zip(rows, dense, strict=True):
            for name, x, copied in zip(self._lists, row, copies, strict=True):
                if copied is not x and name not in READ_ONLY:
                    x[...] = copied


def _in_memory_order(row: tuple[Array, ...]) -> tuple[Array, ...]:
    """The arrays with their axes in the order in which those of the first lie in memory."""
    order = memory_order(row[0])
    return tuple([x.transpose(order) for x in row])
