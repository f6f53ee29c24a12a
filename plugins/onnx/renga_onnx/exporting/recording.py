"""One run of a network: which functions were applied, to which arrays, and where in the user's program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from renga_core.backend import Array
from renga_core.graph import FunctionNode, Variable
from renga_core.tracer import Tracer

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

    Attributes:
        applied: In the order in which it happened.
    """

    def __init__(self) -> None:
        self.applied: list[Applied] = []

    def apply(
        self,
        proceed: Callable[[FunctionNode, Sequence[Variable | Array]], tuple[Variable, ...]],
        function: FunctionNode,
        inputs: Sequence[Variable | Array],
    ) -> tuple[Variable, ...]:
        """Note it."""
        outputs = proceed(function, inputs)
        xs = tuple([x._array if isinstance(x, Variable) else x for x in inputs])
        ys = tuple([y._array for y in outputs])
        self.applied.append(Applied(function, xs, ys, _user_line()))
        return outputs

    def side_effect(self, proceed: Callable[[Callable[[], object]], None], do: Callable[[], object]) -> None:
        """Nothing is changed."""


def _is_ours(names: dict[str, Any]) -> bool:
    return f"{names.get('__name__', '')}.".startswith(_OURS)


def _user_line() -> str:
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
