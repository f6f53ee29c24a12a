"""Stand-in for a gradient, which records the operations of backward on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_compile.replay.program import Program

__all__ = ["TracedGradient"]


class TracedGradient:
    """Replaces a gradient in `Tracer.gradients`. Adding and copying write lines of a program.

    Args:
        array: The gradient; a scalar of the array library if it has no axes.
        name: Its name in the program.
        program: The program.
        name_of: Returns the name of a gradient, this one or another.
    """

    __slots__ = ("_name_of", "_program", "array", "name")
    __array_ufunc__ = None  # array + traced: let `__radd__` do it

    def __init__(self, array: Any, name: str, program: Program, name_of: Callable[[Any], str]) -> None:
        self.array = array
        self.name = name
        self._program = program
        self._name_of = name_of

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return tuple(self.array.shape)

    @property
    def dtype(self) -> Any:
        """Dtype of the array."""
        return self.array.dtype

    @property
    def size(self) -> int:
        """0, so that large gradients are also added with ``+``, which is recorded here."""
        return 0

    def __add__(self, other: Any) -> TracedGradient:
        return self._made(self.array + array_of(other), f"{self.name} + {self._name_of(other)}")

    def __radd__(self, other: Any) -> TracedGradient:
        return self._made(array_of(other) + self.array, f"{self._name_of(other)} + {self.name}")

    def __iadd__(self, other: Any) -> TracedGradient:
        self._program.line(f"{self.name} += {self._name_of(other)}")
        self.array += array_of(other)
        return self

    def copy(self) -> TracedGradient:
        """Return a gradient that shares no memory with this one."""
        return self._made(self.array.copy(), f"{self.name}.copy()")

    def _made(self, array: Any, expression: str) -> TracedGradient:
        name = self._program.local("g", array)
        self._program.line(f"{name} = {expression}")
        return TracedGradient(array, name, self._program, self._name_of)


def array_of(gradient: Any) -> Any:
    """Return the array if `gradient` is a stand-in, else `gradient`."""
    return gradient.array if isinstance(gradient, TracedGradient) else gradient
