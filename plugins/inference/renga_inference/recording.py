"""One run of a model: the applied functions and their arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import numpy as np

from renga_core.backend import Array
from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import FunctionNode, Variable, as_array, no_backprop_mode
from renga_core.link import Link
from renga_core.tracer import Tracer
from renga_inference.program import Host, Place, places_in
from renga_inference.sizes import mapped

__all__ = ["Applied", "Run", "depends_on_state", "record"]

_OURS = ("renga.", "renga_core.", "renga_nn.", "renga_inference.")


@dataclass(frozen=True, slots=True)
class Applied:
    """One applied function.

    Attributes:
        function: The function node.
        attributes: Its attributes before the call, with a `Place` for each array that has a number.
        inputs, outputs: Numbers of its arrays.
        where: ``file:line`` of the user's program.
    """

    function: FunctionNode
    attributes: dict[str, Any]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    where: str


@dataclass
class Run:
    """Record of one run.

    Attributes:
        batch: Size of the batch.
        arrays: All arrays. Arrays that no function returned are arguments, which come first, or constants. Arrays
            computed from arguments are kept only as shape and dtype, unless returned, because they may be large.
        applied: The functions.
        result: The return value, with a `Place` for each array.
        changed: Attributes of links that the run changed, and that were put back: ``h of LSTM``.
    """

    batch: int
    arrays: list[Host] = field(default_factory=list)
    applied: list[Applied] = field(default_factory=list)
    result: Any = None
    changed: list[str] = field(default_factory=list)


def record(model: Callable[..., Any], arguments: Sequence[Host], batch: int, keep: bool = False) -> Run:
    """Run a model in test mode, without a graph, and record it. The state of the model does not change.

    Args:
        model: A Link, or another callable.
        arguments: Its arguments.
        batch: The size of the batch.
        keep: Whether to keep all arrays.

    Raises:
        RengaError: It does not return arrays, or computes on another device.
    """
    recorder = _Recorder(batch, arguments, keep)
    with _keeping_state(model, recorder.run.changed), using_config("train", False), no_backprop_mode():
        with recorder:
            result = model(*[Variable(array, requires_grad=False) for array in arguments])
        recorder.run.result = recorder.described(result)
    return recorder.run


def depends_on_state(model: Callable[..., Any], arguments: Sequence[Host]) -> bool:
    """Whether a second call with the same arguments returns another result than the first."""
    with _keeping_state(model, []), using_config("train", False), no_backprop_mode():
        first, second = [
            _copies(model(*[Variable(array, requires_grad=False) for array in arguments])) for _ in range(2)
        ]
    pairs = zip(first, second, strict=False)
    return len(first) != len(second) or any(a.tobytes() != b.tobytes() for a, b in pairs)


def _copies(result: Any) -> list[Host]:
    """Copies of all arrays in a result."""
    found: list[Host] = []
    mapped(result, lambda part: found.append(as_array(part).copy()))
    return found


class _Recorder(Tracer):
    def __init__(self, batch: int, arguments: Sequence[Host], keep: bool) -> None:
        self.run = Run(batch)
        self._keep = keep
        self._numbers: dict[int, int] = {}
        self._computed: set[int] = set(range(len(arguments)))  # from arguments, which are themselves kept
        self._seen: list[ref[Host]] = []
        for array in arguments:
            self._new(array)

    def apply(
        self,
        proceed: Callable[[FunctionNode, Sequence[Variable | Array]], tuple[Variable, ...]],
        function: FunctionNode,
        inputs: Sequence[Variable | Array],
    ) -> tuple[Variable, ...]:
        """Record an applied function."""
        inputs, attributes = list(inputs), mapped(dict(vars(function)), self._placed)
        outputs = proceed(function, inputs)
        where = _user_line()
        read = tuple([self._number(x, where) for x in inputs])
        # A function may return its argument; then the array gets a second number.
        known = {*read, *places_in(attributes)}
        written = tuple([self._new(y._array, computed=not known.isdisjoint(self._computed)) for y in outputs])
        self.run.applied.append(Applied(function, attributes, read, written, where))
        return outputs

    def side_effect(self, proceed: Callable[[Callable[[], object]], None], do: Callable[[], object]) -> None:
        """Do nothing."""

    def described(self, result: Any) -> Any:
        """Return the result of the model, with a `Place` for each array."""
        if isinstance(result, (Variable, np.ndarray)):
            number = self._number(result, "the result")
            self.run.arrays[number] = result._array if isinstance(result, Variable) else result
            return Place(number)
        if type(result) in (tuple, list):
            return type(result)([self.described(each) for each in result])
        if type(result) is dict and all(isinstance(key, str) for key in result):
            return {key: self.described(each) for key, each in result.items()}
        raise RengaError(
            f"renga.inference: the model returns a {type(result).__name__}.\n"
            "Next: let it return Variables or arrays, or tuples, lists or dictionaries of these."
        )

    def _placed(self, part: Any) -> Any:
        known = self._numbers.get(id(part)) if isinstance(part, np.ndarray) else None
        return part if known is None else Place(known)

    def _number(self, x: Variable | Array, where: str) -> int:
        array = x._array if isinstance(x, Variable) else x
        known = self._numbers.get(id(array))
        return self._new(array, where) if known is None else known

    def _new(self, array: Array, where: str = "", computed: bool = False) -> int:
        if type(array) is not np.ndarray:
            raise RengaError(
                f"renga.inference: {where or 'an argument'} has an array of {type(array).__module__}; it freezes "
                "models that compute with NumPy.\nNext: model.to_device('numpy'), and give NumPy arrays."
            )
        number, key = len(self.run.arrays), id(array)
        self._numbers[key] = number
        if computed:
            self._computed.add(number)
        if computed and not self._keep:
            # Another array may get its id as soon as it is gone.
            self._seen.append(ref(array, lambda _: self._forget(key, number)))
            array = np.broadcast_to(np.empty((), array.dtype), array.shape)
        self.run.arrays.append(array)
        return number

    def _forget(self, key: int, number: int) -> None:
        if self._numbers.get(key) == number:
            del self._numbers[key]


@contextmanager
def _keeping_state(model: Any, changed: list[str]) -> Iterator[None]:
    """Afterwards, links have the attributes that they had. Those that were other ones are added to `changed`."""
    owner = getattr(model, "__self__", model)
    links = list(owner.links()) if isinstance(owner, Link) else []
    before = [(link, dict(vars(link))) for link in links]
    try:
        yield
    finally:
        for link, then in before:
            now = vars(link)
            changed += [f"{key} of {type(link).__name__}" for key in now if now[key] is not then.get(key)]
            now.clear()
            now.update(then)


def _user_line() -> str:
    frame = sys._getframe(1)
    while frame.f_back is not None and f"{frame.f_globals.get('__name__', '')}.".startswith(_OURS):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
