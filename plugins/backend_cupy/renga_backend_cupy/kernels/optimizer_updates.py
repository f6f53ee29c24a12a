"""Updates of optimizers, and moving averages: one launch changes hundreds of arrays, of whatever sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy import captured_numbers
from renga_backend_cupy.kernels.arguments import PIECE_OF_BLOCK, THREADS, blocks_of, rows_for
from renga_core.backend import Array

__all__ = [
    "AdamUpdate",
    "CorrectedMomentumSGDUpdate",
    "MomentumSGDUpdate",
    "MovingAverageUpdate",
    "NesterovAGUpdate",
    "RMSpropUpdate",
    "SGDUpdate",
    "supports_adam",
    "supports_momentum",
    "supports_moving_average",
    "supports_rmsprop",
    "supports_sgd",
]

TENSORS = rows_for(addresses=4, numbers=5)  # Adam's, which has the most of both
"""Parameters for one launch: 91 of 4 KiB of arguments, 743 of 32."""

_READ = ("grad", "value")  # of all lists those that no update writes

_SOURCE = """
template <class T> struct Tensors {
  $FIELDS
  long long size[$TENSORS];
  int first[$TENSORS];  // of its blocks
  int count;
};

struct Numbers { double $NUMBERS; };

template <class T> __device__ void update(const Tensors<T>& tensors, const Numbers& numbers) {
  long long begin, end;
  const int which = piece_of_block(tensors, begin, end);
  $LOCALS
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    $ELEMENTS
    $BODY
  }
}
"""

_ENTRY = """
extern "C" __global__ void $NAME(Tensors<$T> tensors, Numbers numbers) {
  update<$T>(tensors, numbers);
}

extern "C" __global__ void captured_$NAME(Tensors<$T> tensors, const double* numbers) {
  update<$T>(tensors, *(const Numbers*)numbers);
}
"""


class Update:
    """An update as a kernel. In a captured step, its numbers may be others in each replay.

    Args:
        name: Name of the kernel, for profilers.
        lists: Names of the arrays of a parameter, in the order of the operation's arguments.
        numbers: Names of the numbers that follow; in the body they are of the arrays' type.
        body: What is done to an element, in C++, where each name of `lists` is that array's element.
        constants: What is computed of the numbers before, in C++, in double precision by ``numbers.name``.
    """

    def __init__(self, name: str, lists: Sequence[str], numbers: Sequence[str], body: str, constants: str = "") -> None:
        self._name = f"{name}_update"
        self._lists = tuple(lists)
        addresses = [(each, np.uint64, TENSORS) for each in lists]
        sizes = [("size", np.int64, TENSORS), ("first", np.int32, TENSORS), ("count", np.int32)]
        self.table = np.dtype([*addresses, *sizes], align=True)
        self.numbers = np.dtype([(each, np.float64) for each in numbers])
        self.code = self._code(tuple(numbers), body, constants)
        self._module = cupy.RawModule(code=self.code)

    def _code(self, numbers: tuple[str, ...], body: str, constants: str) -> str:
        made = PIECE_OF_BLOCK + _SOURCE
        for word, text in {
            "$FIELDS": " ".join(f"T* {name}[{TENSORS}];" for name in self._lists),
            "$NUMBERS": ", ".join(numbers),
            "$LOCALS": " ".join(f"const T {name} = (T)numbers.{name};" for name in numbers) + constants,
            "$ELEMENTS": " ".join(f"T& {name} = tensors.{name}[which][i];" for name in self._lists),
            "$BODY": body,
            "$TENSORS": str(TENSORS),
        }.items():
            made = made.replace(word, text)
        for dtype, kind in (("float32", "float"), ("float64", "double")):
            made += _ENTRY.replace("$NAME", f"{self._name}_{dtype}").replace("$T", kind)
        return made

    def forward(self, *args: Any) -> None:
        """Like the reference: lists, and then numbers."""
        lists, values = args[: len(self._lists)], args[len(self._lists) :]
        captured = captured_numbers.current()
        numbers: Any = np.array(values, self.numbers)
        if captured is not None:
            numbers = captured.take(values, len(lists[0]))
            if numbers is None:
                return  # a graph will do it
        name = f"{self._name}_{lists[0][0].dtype.name}"
        launch = self._module.get_function(name if captured is None else f"captured_{name}")
        rows = list(zip(*lists, strict=True))
        for start in range(0, len(rows), TENSORS):
            self._launch(launch, rows[start : start + TENSORS], numbers)

    def _launch(self, launch: Any, rows: Sequence[tuple[Array, ...]], numbers: Any) -> None:
        table = np.zeros((), self.table)
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
                if copied is not x and name not in _READ:
                    x[...] = copied


def _alike(param: Array, *others: Array) -> bool:
    """Whether these are arrays of one shape, all in single or all in double precision."""
    return param.dtype.name in ("float32", "float64") and all(
        x.dtype == param.dtype and x.shape == param.shape for x in others
    )


def supports_sgd(param: Array, grad: Array, rate: float) -> bool:
    """Whether these are arrays of one shape, all in single or all in double precision."""
    return _alike(param, grad)


def supports_moving_average(running: Array, value: Array, decay: float, factor: float) -> bool:
    """Like `supports_sgd`."""
    return _alike(running, value)


def supports_momentum(param: Array, grad: Array, v: Array, momentum: float, rate: float) -> bool:
    """Like `supports_sgd`."""
    return _alike(param, grad, v)


def supports_rmsprop(param: Array, grad: Array, ms: Array, alpha: float, eps: float, rate: float) -> bool:
    """Like `supports_sgd`."""
    return _alike(param, grad, ms)


def supports_adam(
    param: Array, grad: Array, m: Array, v: Array, beta1: float, beta2: float, eps: float, rate: float, keep: float
) -> bool:
    """Like `supports_sgd`."""
    return _alike(param, grad, m, v)


_MOMENTUM = ("param", "grad", "v"), ("momentum", "rate")

SGDUpdate = Update("sgd", ("param", "grad"), ("rate",), "param -= rate * grad;")
MomentumSGDUpdate = Update("momentum_sgd", *_MOMENTUM, "v = v * momentum - rate * grad; param += v;")
CorrectedMomentumSGDUpdate = Update("corrected_momentum_sgd", *_MOMENTUM, "v = v * momentum - grad; param += rate * v;")
NesterovAGUpdate = Update(
    "nesterov_ag",
    *_MOMENTUM,
    "const T step = rate * grad; v = v * momentum - step; param = param - step + momentum * v;",
)
MovingAverageUpdate = Update(
    "moving_average",
    ("running", "value"),
    ("decay", "factor"),
    "running = running * decay + rest * (value * factor);",
    "const T rest = (T)(1 - numbers.decay);",
)
RMSpropUpdate = Update(
    "rmsprop",
    ("param", "grad", "ms"),
    ("alpha", "eps", "rate"),
    "ms = ms * alpha + rest * grad * grad; param -= rate * grad / (sqrt(ms) + eps);",
    "const T rest = (T)(1 - numbers.alpha);",
)
AdamUpdate = Update(
    "adam",
    ("param", "grad", "m", "v"),
    ("beta1", "beta2", "eps", "rate", "keep"),
    "m = m * beta1 + rest1 * grad; v = v * beta2 + rest2 * grad * grad; "
    "param = param * keep - m / (sqrt(v) + eps) * rate;",
    "const T rest1 = (T)(1 - numbers.beta1), rest2 = (T)(1 - numbers.beta2);",
)
