"""Statements: the meaning of lines in a recorded program."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "LOCAL",
    "Arithmetic",
    "Call",
    "Elementwise",
    "Operand",
    "Reduction",
    "Spec",
    "View",
    "kept_axes",
    "squeezed",
]

LOCAL = re.compile(r"\b[vg]\d+\b")
"""The name of an array that the program makes."""


@dataclass(frozen=True)
class Spec:
    """Shape, dtype and layout of an array.

    Attributes:
        shape: Its shape.
        dtype: Its dtype.
        usable: Whether it is contiguous, aligned and writeable.
        strides: Strides as in NumPy; None if they do not matter, or are unknown.
    """

    shape: tuple[int, ...]
    dtype: Any
    usable: bool = True
    strides: tuple[int, ...] | None = None

    @property
    def order(self) -> tuple[int, ...]:
        """The strides; those of an array whose elements lie in order, if that is what it is."""
        if self.strides is not None and not self.usable:
            return self.strides
        strides, step = [], int(self.dtype.itemsize)
        for length in reversed(self.shape):
            strides.append(step)
            step *= length
        return tuple(reversed(strides))

    @property
    def size(self) -> int:
        """Number of elements."""
        size = 1
        for length in self.shape:
            size *= length
        return size


@dataclass(frozen=True)
class Operand:
    """An array that a statement reads.

    Attributes:
        name: Name of the array in the program.
        axes: For each axis of the loop, whether the array has it; otherwise its value is constant along this axis.
        steps: For each axis of the loop, the stride in elements; None: the array is contiguous.
        offset: Position of the first element.
        bounds: Axes with the range that has elements; outside, the value is 0.
    """

    name: str
    axes: tuple[bool, ...]
    steps: tuple[int, ...] | None = None
    offset: int = 0
    bounds: tuple[tuple[int, int, int], ...] = ()

    @property
    def whole(self) -> bool:
        """Whether its elements are those of the loop, in the same order."""
        return self.steps is None and all(self.axes)


@dataclass
class Arithmetic:
    """A statement that can become part of a loop.

    Attributes:
        result: Name of the array that it computes.
        spec: Shape and dtype of this array.
        call: Call with the same effect, outside of loops: ``n3.forward`` or ``n3.backward_arrays``. Empty for sums of
            gradients and the like.
        text: Line of Python with the same effect; empty if `call` is given.
        in_place: Like `text`, if the first operand is not needed any more; empty if there is no such line.
        line: The recorded line.
    """

    result: str
    spec: Spec
    call: str
    text: str
    in_place: str
    line: str = field(default="", init=False)

    @property
    def key(self) -> str:
        """Identifies the line independently of array names: a call, or the recorded line."""
        return self.call or self.line

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The arrays that it reads."""
        raise NotImplementedError

    @property
    def loop_shape(self) -> tuple[int, ...]:
        """The shape of the loop, without axes of length 1."""
        raise NotImplementedError

    @property
    def copies(self) -> bool:
        """Whether it computes nothing."""
        return False

    @property
    def reads(self) -> set[str]:
        """Names of the arrays that it reads."""
        return {operand.name for operand in self.operands}


@dataclass
class Elementwise(Arithmetic):
    """``result[i] = expression(operands[i])``.

    Attributes:
        expression: Python, with ``_0``, ``_1`` … for the operands.
        inputs: The operands.
    """

    expression: str = "_0"
    inputs: tuple[Operand, ...] = ()

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The arrays that it reads."""
        return self.inputs

    @property
    def loop_shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return squeezed(self.spec.shape)

    @property
    def copies(self) -> bool:
        """Whether it computes nothing."""
        return self.expression == "_0" and not self.inputs[0].bounds


@dataclass
class Reduction(Arithmetic):
    """The sum of an array over some axes.

    Attributes:
        operand: The array, which has all axes of the loop.
        shape: Its shape, without axes of length 1.
        kept: For each axis of `shape`, whether the result has it.
    """

    operand: Operand = Operand("", ())
    shape: tuple[int, ...] = ()
    kept: tuple[bool, ...] = ()

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The array that is summed."""
        return (self.operand,)

    @property
    def loop_shape(self) -> tuple[int, ...]:
        """The shape of the operand."""
        return self.shape


@dataclass
class View(Arithmetic):
    """An array that shares the memory of another one. Statements read the other one instead.

    Attributes:
        source: Name of the other array.
    """

    source: str = ""

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The other array."""
        return (Operand(self.source, ()),)

    @property
    def copies(self) -> bool:
        """Whether it computes nothing: yes."""
        return True


@dataclass
class Call:
    """A line that remains unchanged.

    Attributes:
        text: The line.
        reads: Names of the arrays that it reads.
        needs_all: Whether all previous results must be computed, because it may change any array.
        blocks: First lines of the ``with`` blocks that it belongs to, outermost first; None if that does not matter.
        computes: Whether it creates arrays, which takes memory and time.
    """

    text: str
    reads: set[str] = field(default_factory=set)
    needs_all: bool = False
    blocks: tuple[str, ...] | None = None
    computes: bool = False


def squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without axes of length 1."""
    return tuple([length for length in shape if length != 1])


def kept_axes(shape: tuple[int, ...], of: tuple[int, ...]) -> tuple[bool, ...]:
    """For each axis of `of` longer than 1 whether an array of `shape`, which broadcasts to `of`, has it."""
    lengths = (1,) * (len(of) - len(shape)) + shape
    return tuple([mine != 1 for mine, length in zip(lengths, of, strict=True) if length != 1])
