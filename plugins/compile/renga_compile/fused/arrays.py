"""Properties of the arrays of a recorded program, while its lines are read."""

from __future__ import annotations

import re

import numpy as np

from renga_compile.fused.expressions import NotArithmetic
from renga_compile.fused.layouts import Layout, in_order, lying
from renga_compile.fused.statements import LOCAL, Operand, Spec
from renga_compile.replay.program import Program, described

__all__ = ["DTYPES", "Arrays"]

DTYPES = {np.dtype(np.float32): "f4", np.dtype(np.float64): "f8"}
_LARGE = 1 << 14  # elements; calls for fewer take longer than their memory traffic
_NAME = re.compile(r"\b(?:[vg]\d+|c\d+|p\d+\._array)\b")


class Arrays:
    """Names of arrays, each unique, and their shapes, dtypes and layouts.

    Args:
        program: A recorded step.

    Attributes:
        specs: Shape and dtype of arrays, by name.
    """

    def __init__(self, program: Program) -> None:
        self.specs: dict[str, Spec] = {}
        self._program = program
        self._names: dict[str, str] = {}  # by their names in the lines
        self._layouts: dict[str, Layout] = {}  # of views

    def name(self, text: str) -> str:
        """Return the unique name of the array with this name in the lines."""
        return self._names.get(text, text)

    def renamed(self, text: str) -> str:
        """Return a line with unique names."""
        return LOCAL.sub(lambda found: self.name(found[0]), text)

    def new(self, name: str, spec: Spec, layout: Layout | None = None) -> str:
        """Return a unique name for the array that a line calls `name`.

        Args:
            name: Name in the line.
            spec: Shape and dtype.
            layout: Its place in another array, if it is a view.
        """
        own = name if name not in self._names else self._program.local(name[0])
        self._names[name] = own
        self.specs[own] = spec
        if layout is None and not spec.usable:
            layout = lying(own, spec)
        if layout is not None:
            self._layouts[own] = layout
        return own

    def usable(self, name: str) -> Spec:
        """Return shape and dtype of an operand of arithmetic.

        Raises:
            NotArithmetic: Loops cannot use it.
        """
        name = self.name(name)
        if _NAME.fullmatch(name) is None:
            raise NotArithmetic(name)
        if name not in self.specs:
            owner = self._program.namespace[name.partition(".")[0]]
            self.specs[name] = Spec(*described(owner._array if name.startswith("p") else owner))
        spec = self.specs[name]
        if not (spec.usable or name in self._layouts) or spec.dtype not in DTYPES:
            raise NotArithmetic(name)
        return spec

    def layout(self, name: str) -> Layout:
        """Return the memory layout of an array."""
        name = self.name(name)
        return self._layouts[name] if name in self._layouts else in_order(name, self.specs[name].shape)

    def operand(self, name: str, shape: tuple[int, ...]) -> Operand:
        """Return an array as an operand of a statement with a result of this shape."""
        self.usable(name)
        return self.layout(name).operand(shape)

    def is_view(self, name: str) -> bool:
        """Whether loops read another array instead of this one."""
        name = self.name(name)
        return name in self._layouts and self._layouts[name].base != name

    def recorded(self, name: str) -> Spec:
        """Return shape and dtype of an array when the step was recorded."""
        return Spec(*self._program.specs[name])

    def is_made_in_another_order(self, name: str) -> bool:
        """Whether the array is large, and the recorded line makes it without gaps in another memory order than C's.

        Examples are images that have their channels last. Loops write arrays in C order. A loop that makes this one
        would jump through the memory of its operands, and later functions would have to reorder the result.
        """
        if name not in self._program.specs:
            return False
        spec = self.recorded(name)
        if spec.usable or not spec.strides or spec.size < _LARGE:
            return False
        step = int(spec.dtype.itemsize)
        for stride, length in sorted(zip(spec.strides, spec.shape, strict=True)):
            if length > 1 and stride != step:
                return False
            step *= length
        return True
