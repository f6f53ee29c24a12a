"""One run of a network: which functions were applied, to which arrays, and where in the user's program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode, Variable
from renga_core.tracer import Tracer
from renga_onnx.exporting.sizes import DataAxes, data_axes

__all__ = ["Applied", "Recorder"]

_OURS = ("renga.", "renga_core.", "renga_nn.", "renga_onnx.")


@dataclass(frozen=True, slots=True)
class Applied:
    """A function that was applied.

    Attributes:
        function: It.
        inputs, outputs: Its arrays.
        where: ``file:line`` of the user's program.
    """

    function: FunctionNode
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    where: str


class Recorder(Tracer):
    """Notes what is applied while it is entered.

    What a library changes beside results is left out, moving averages above all: to export a network does not train it.

    Args:
        sizes: If given, an axis whose size depends on values gets the next of these sizes instead: its elements are
            repeated, or cut off. What is computed is then of no use, but which sizes follow from which can be seen.

    Attributes:
        applied: In the order in which it happened.
    """

    def __init__(self, sizes: Iterator[int] | None = None) -> None:
        self.applied: list[Applied] = []
        self._sizes = sizes

    def apply(
        self,
        proceed: Callable[[FunctionNode, Sequence[Variable | Array]], tuple[Variable, ...]],
        function: FunctionNode,
        inputs: Sequence[Variable | Array],
    ) -> tuple[Variable, ...]:
        """Note it."""
        outputs = proceed(function, inputs)
        if self._sizes is not None and (axes := data_axes(function)):
            outputs = _resized(outputs, axes, self._sizes)
        xs = tuple([x._array if isinstance(x, Variable) else x for x in inputs])
        ys = tuple([y._array for y in outputs])
        self.applied.append(Applied(function, xs, ys, _user_line()))
        return outputs

    def side_effect(self, proceed: Callable[[Callable[[], object]], None], do: Callable[[], object]) -> None:
        """Nothing is changed."""


def _resized(outputs: Sequence[Variable], axes: DataAxes, sizes: Iterator[int]) -> tuple[Variable, ...]:
    """Outputs with other sizes of the axes whose sizes depend on values."""
    arrays = [y._array for y in outputs]
    for places, size in zip(axes.values(), sizes, strict=False):
        for output, axis in places:
            arrays[output] = _with_size(arrays[output], axis, size)
    return tuple([Variable(array, requires_grad=False) for array in arrays])


def _with_size(array: Array, axis: int, size: int) -> Array:
    """An array with its slices along an axis again and again, or the first of them; zeros if it has none."""
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
