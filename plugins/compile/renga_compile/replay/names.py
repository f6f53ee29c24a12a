"""Names of arrays and Variables of a recorded step in its program."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from renga_compile.replay.program import Program
from renga_compile.replay.traced_array import TracedArray, plain
from renga_core.backend import get_backend
from renga_core.backend.lookup import array_types
from renga_core.configuration import config
from renga_core.graph import Parameter, Variable
from renga_core.tracer import Tracer

__all__ = ["Names"]

_UNNAMED = object()


class Names(Tracer):
    """Names of everything that a step uses, and stand-ins for its arrays.

    While a step is recorded, a `Variable` keeps its array. A program that reads the array (``x.array``) gets a
    `TracedArray`; the step's arguments are replaced in the same way. Functions compute with the arrays themselves.

    Attributes:
        program: Program to which names are added.
        reason: Why the step cannot be replayed; None if it can.
    """

    def __init__(self) -> None:
        self.program = Program()
        self.reason: str | None = None
        self._thread = threading.get_ident()
        # By id of the array: a weak reference to it, and its name; None: a replay does not have it.
        self._names: dict[int, tuple[Callable[[], Any], str | None]] = {}
        self._made: set[int] = set()  # ids of Variables that the step creates
        self._traced: list[ref[TracedArray]] = []

    def refuse(self, reason: str) -> None:
        """Stop recording, because a replay cannot repeat the last operation."""
        raise NotImplementedError

    # --- what a program reads --------------------

    def trace(self, array: Any, name: Any) -> TracedArray:
        """Return a `TracedArray` for an array.

        Args:
            array: The array.
            name: Its name in the program, or its Variable; None if a replay does not have it.
        """
        array_types.setdefault(TracedArray, get_backend(array))
        made = TracedArray(array, name, self._is_read, self._view)
        self._traced.append(ref(made))
        return made

    def read(self, variable: Variable, array: Any) -> Any:
        """Called when the program reads an array or a gradient."""
        if self.reason is not None or type(array) is not np.ndarray:
            return array
        name = self._known(array)
        if name is not _UNNAMED:
            return self.trace(array, name)
        if array is not variable._array:
            return self.trace(array, None)  # a gradient of an earlier call
        return self.trace(array, variable) if self._is_given(variable) else array

    def created(self, variable: Variable) -> None:
        """Give a Variable made from a `TracedArray` the array itself."""
        self._unwrap(variable)
        self._made.add(id(variable))
        if isinstance(variable, Parameter):
            self.refuse("it makes a Parameter")

    def _is_read(self, how: str) -> None:
        # Ignore the library's own reads, and those of other threads that may hold the array.
        if threading.get_ident() == self._thread and self in config.tracers:
            self.refuse(f"it reads values of an array ({how}) outside of functions")

    def _view(self, found: Any, of: TracedArray) -> Any:
        if self.reason is not None or self not in config.tracers:
            return found
        if found is of.plain:
            return of
        if isinstance(found, np.ndarray) and np.may_share_memory(found, of.plain):
            fixed = isinstance(of.name, str) and of.name.startswith("c")
            # A view of an argument is one in each replay. A view of a computed array is a different array each time.
            return self.trace(found, self.program.constant(found) if fixed else None)
        self._is_read("copied, or taken out of it")
        return found

    def _unwrap(self, variable: Variable) -> None:
        """Replace a `TracedArray` that was assigned to a Variable by its array."""
        for slot in ("_array", "_grad"):
            value = getattr(variable, slot)
            if type(value) is TracedArray:
                setattr(variable, slot, value.plain)
                self.name(value.plain, self.name_of(value) if value.name is not None else None)

    # --- names --------------------

    def name(self, array: Any, name: str | None) -> None:
        """Name an array, unless it has a name. The array is not kept alive."""
        if self._known(array) is _UNNAMED:
            # Scalars of NumPy cannot be referred to weakly.
            self._names[id(array)] = (ref(array) if type(array) is np.ndarray else lambda: array, name)

    def _known(self, array: Any) -> Any:
        """Return the name of an array; `_UNNAMED` if there is none. Its id may be that of a deleted array."""
        of, name = self._names.get(id(array), (None, None))
        return name if of is not None and of() is array else _UNNAMED

    def is_named(self, array: Any) -> bool:
        """Whether an array has been given a name."""
        return self._known(array) is not _UNNAMED

    def name_of(self, array: Any) -> str:
        """Return the name of an array in the program."""
        name = array.name if type(array) is TracedArray else self._known(array)
        if isinstance(name, Variable):
            return self._by_reference(name)
        if name is _UNNAMED:
            return self.program.constant(array)
        if name is None:
            self.refuse("it uses an array in a function that comes neither from an argument nor from a function")
        return str(name)

    def name_of_input(self, x: Any) -> str:
        """Return the name of a Variable or an array in the program."""
        if not isinstance(x, Variable):
            return self.name_of(x)
        if type(x) is Variable and not self.is_named(x._array) and not (x._requires_grad and config.enable_backprop):
            self.name_state(x)
        if self._is_given(x):
            return self._by_reference(x)
        return self.name_of(x._array)

    def name_state(self, variable: Variable) -> None:
        """Name the array of a Variable that existed before, if a link keeps it as its state."""
        raise NotImplementedError

    def _is_given(self, variable: Variable) -> bool:
        """Whether it existed before the step, so that training may change it."""
        if isinstance(variable, Parameter):
            return True
        return variable._requires_grad and id(variable) not in self._made and self._known(variable._array) is _UNNAMED

    def _by_reference(self, variable: Variable) -> str:
        """Return an expression for the current array of a Variable that existed before."""
        name = f"{self.program.object('p', variable)}._array"
        self.name(variable._array, name)
        return name


def mapped(value: Any, each: Callable[[Any], Any]) -> Any:
    """Replace all arrays in tuples, lists and dictionaries of `value`."""
    if isinstance(value, (np.ndarray, TracedArray)):
        return each(value)
    if type(value) in (tuple, list):
        return type(value)([mapped(row, each) for row in value])
    if type(value) is dict:
        return {key: mapped(row, each) for key, row in value.items()}
    return value


def without_traces(value: Any) -> Any:
    """Return `value` with plain arrays."""
    return mapped(value, plain)
