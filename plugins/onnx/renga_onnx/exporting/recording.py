"""Records one run of a network: the applied functions, their arrays, and the lines of the user's program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from renga_core.backend import Array, Backend, get_array_module, get_backend
from renga_core.configuration import using_config
from renga_core.graph import FunctionNode, Variable
from renga_core.tracer import Tracer
from renga_onnx.exporting.array_backend import RECORDED, RecordedGenerator
from renga_onnx.exporting.arrays import Recorded, noting, plain, recorded
from renga_onnx.exporting.sizes import DataAxes, data_axes

__all__ = ["Applied", "Recorder"]

_OURS = ("renga.", "renga_core.", "renga_nn.", "renga_onnx.", "numpy.")


@dataclass(frozen=True, slots=True)
class Applied:
    """A function that was applied.

    Attributes:
        function: The function.
        inputs, outputs: Its arrays.
        where: ``file:line`` of the user's program.
    """

    function: FunctionNode
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    where: str


class Recorder(Tracer):
    """Context manager that records applied functions, and operations on NumPy arrays of Variables.

    Side effects of functions, mainly moving averages, are switched off: an export does not train the network.

    Args:
        sizes: If given, an axis whose size depends on values gets the next of these sizes instead: its elements are
            repeated, or cut off. The computed values are then useless, but the dependencies between sizes become
            visible.

    Attributes:
        applied: The applied functions, in order.
    """

    whole = True

    def __init__(self, sizes: Iterator[int] | None = None) -> None:
        self.applied: list[Applied] = []
        self._sizes = sizes
        self._read: dict[int, tuple[Array, Recorded]] = {}
        self._noting: AbstractContextManager[None] = noting(self._note)

    def __enter__(self) -> Self:
        self._noting.__enter__()
        return super().__enter__()

    def leave(self) -> None:
        """Stop recording in this thread."""
        super().leave()
        self._noting.__exit__(None, None, None)

    def apply(
        self,
        proceed: Callable[[FunctionNode, Sequence[Variable | Array]], tuple[Variable, ...]],
        function: FunctionNode,
        inputs: Sequence[Variable | Array],
    ) -> tuple[Variable, ...]:
        """Note it."""
        if not isinstance(inputs, (list, tuple)):  # the rows of one Variable
            with using_config("tracers", (self,)):
                inputs = list(inputs)
        with noting(None):
            outputs = proceed(function, [plain(getattr(x, "_array", x)) if _is_recorded(x) else x for x in inputs])
        if self._sizes is not None and (axes := data_axes(function)):
            outputs = _resized(outputs, axes, self._sizes)
        xs = tuple([x._array if isinstance(x, Variable) else x for x in inputs])
        ys = tuple([y._array for y in outputs])
        self.applied.append(Applied(function, xs, ys, _user_line()))
        return outputs

    def read(self, variable: Variable, array: Array) -> Any:
        """The array in a form that reports operations on it. Arrays of other libraries than NumPy stay unchanged."""
        if type(array) is not np.ndarray:
            return array
        if id(array) not in self._read:
            self._read[id(array)] = array, recorded(array)
        return self._read[id(array)][1]

    def generator(self, proceed: Callable[[Backend], Any], backend: Backend) -> Any:
        """A generator whose numbers are drawn in the graph."""
        generator = proceed(get_backend("numpy") if backend.name == RECORDED else backend)
        return RecordedGenerator(generator) if backend.name in (RECORDED, "numpy") else generator

    def side_effect(self, proceed: Callable[[Callable[[], object]], None], do: Callable[[], object]) -> None:
        """Nothing is changed."""

    def _note(self, function: FunctionNode, inputs: tuple[Array, ...], outputs: tuple[Array, ...]) -> None:
        self.applied.append(Applied(function, inputs, outputs, _user_line()))


def _is_recorded(x: Any) -> bool:
    return isinstance(getattr(x, "_array", x), Recorded)


def _resized(outputs: Sequence[Variable], axes: DataAxes, sizes: Iterator[int]) -> tuple[Variable, ...]:
    """The outputs, with other sizes of data-dependent axes."""
    arrays = [y._array for y in outputs]
    for places, size in zip(axes.values(), sizes, strict=False):
        for output, axis in places:
            arrays[output] = _with_size(arrays[output], axis, size)
    return tuple([Variable(array, requires_grad=False) for array in arrays])


def _with_size(array: Array, axis: int, size: int) -> Array:
    """An array whose slices along an axis are repeated, or cut off, to a given size; zeros if it has no slices."""
    xp, n = get_array_module(array), array.shape[axis]
    if not n:
        return xp.zeros((*array.shape[:axis], size, *array.shape[axis + 1 :]), dtype=array.dtype)
    return array[(*(slice(None),) * axis, xp.arange(size) % n)]


def _is_ours(names: dict[str, Any]) -> bool:
    return f"{names.get('__name__', '')}.".startswith(_OURS)


def _user_line() -> str:
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
