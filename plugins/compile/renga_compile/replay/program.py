"""A step as a flat program: one line per function, forward and backward."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from renga_compile.replay.states import States
from renga_core.configuration import using_config
from renga_core.graph import FunctionNode, Variable
from renga_core.graph.backprop import as_gradient_array, fit_gradient
from renga_core.graph.function_node import as_output
from renga_core.link import Link
from renga_core.optimizer import Optimizer
from renga_core.reporter import report

__all__ = ["BOOKKEEPING", "WITHOUT_GRAPH", "Program", "described"]

WITHOUT_GRAPH = "with using_config('enable_backprop', False):"
"""The line before the lines of backward, which build no graph."""

BOOKKEEPING = {
    *("inputs", "stack", "_order", "_targets", "_output_count", "_input_indexes", "_output_indexes"),
    *("_saved_inputs", "_saved_outputs"),
}
"""Attributes of a function that make it a node of the graph."""

_LOCAL = re.compile(r"\b[vg]\d+\b")


def outside(array: Any) -> Variable:
    """A Variable without a graph."""
    return Variable(array, requires_grad=False)


def described(array: Any) -> tuple[tuple[int, ...], Any, bool, tuple[int, ...] | None]:
    """Shape and dtype of an array; whether it is one of NumPy's that is contiguous, aligned and writable; its strides.

    The strides are None where it is no aligned array of NumPy's.
    """
    usual = type(array) is np.ndarray and array.flags.aligned
    return array.shape, array.dtype, usual and array.flags.carray, array.strides if usual else None


class Program:
    """Lines of Python, and the objects behind their names.

    Names: ``v`` values and ``g`` gradients (computed), ``n`` functions, ``c`` arrays that are the same in each call
    (including arguments), ``p`` parameters, ``e`` effects such as an update, ``l`` links, ``o`` other objects.

    Attributes:
        namespace: The objects by name.
        walked: Names of the functions that backward has visited.
        left: Attributes of links that the step sets: id of the link, and name.
        specs: Shape, dtype and layout of computed arrays when created, by name: see `described`.
        states: Attributes of links whose arrays the step reads.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.indent = ""
        self.namespace: dict[str, Any] = {}
        self.walked: set[str] = set()
        self.left: set[tuple[int, str]] = set()
        self.specs: dict[str, tuple[Any, ...]] = {}
        self.states = States()
        self._attributes: dict[str, dict[str, Any]] = {}
        self._changed: set[str] = set()  # released functions that have changed their attributes
        self._count = 0
        self._known: dict[tuple[str, int], str] = {}
        self._links: list[tuple[dict[str, Any], int, tuple[str, ...], tuple[Any, ...]]] = []
        self._lists: list[tuple[list[Any], tuple[Any, ...]]] = []
        self._arrays: list[tuple[Variable, tuple[int, ...], Any, tuple[int, ...]]] = []
        self._loss_scales: list[tuple[Optimizer, float | None]] = []

    # --- writing --------------------

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append(self.indent + text)

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        """Add lines in a block of ``with``, which is left out if it has none."""
        self.line(header)
        before, count = self.indent, len(self.lines)
        self.indent += "    "
        try:
            yield
        finally:
            self.indent = before
            if len(self.lines) == count:
                self.lines.pop()

    def local(self, kind: str, array: Any = None) -> str:
        """A new name for something computed."""
        self._count += 1
        name = f"{kind}{self._count}"
        if array is not None:
            self.specs[name] = described(array)
        return name

    def object(self, kind: str, value: Any) -> str:
        """Return the name of an object."""
        key = kind, id(value)
        if key not in self._known:
            self._known[key] = f"{kind}{sum(known[0] == kind for known in self._known)}"
            self.namespace[self._known[key]] = value
        return self._known[key]

    def constant(self, array: Any) -> str:
        """Return the name of an array that is the same in each call."""
        return self.object("c", array)

    def function(self, function: FunctionNode, attributes: dict[str, Any]) -> str:
        """Return the name of a function, which had these attributes before it was applied."""
        name = self.object("n", function)
        self._attributes[name] = attributes
        return name

    def forget(self, function: FunctionNode, name: str) -> None:
        """Free what functions have kept after backward has visited them for the last time."""
        self.walked.add(name)
        self.line(f"forget_{name}()")

    def release(self, name: str) -> None:
        """Free what a function has kept, now and in each replay."""
        if name not in self.walked:
            self.forget(self.namespace[name], name)
        if self._changes(name):
            self._changed.add(name)
        self._forgetting(name)()

    def watch(self, links: Iterable[Link]) -> None:
        """Require that these links have their current attributes in each replay, except those that the step sets."""
        for link in links:
            own = vars(link)
            keys = tuple([key for key in own if (id(link), key) not in self.left])
            self._links.append((own, len(own), keys, tuple([own[key] for key in keys])))
            self._lists += [(own[key], tuple(own[key])) for key in keys if type(own[key]) is list]

    def unset(self) -> list[tuple[dict[str, Any], str]]:
        """Attributes of links that the step sets and that are None now: the dictionary of each link, and the name."""
        return [(own, key) for own, _, kept, _ in self._links for key in own if key not in kept and own[key] is None]

    def watch_loss_scale(self, optimizer: Optimizer) -> None:
        """Require that this optimizer has its current loss scale in each replay."""
        self._loss_scales.append((optimizer, optimizer.loss_scale))

    # --- comparing --------------------

    def difference(self, other: Program) -> str | None:
        """Describe the difference from another program of the same step; None if there is no relevant one."""
        if self.lines != other.lines:
            pairs = zip(self.lines, other.lines, strict=False)
            line = next((f"{a!r} and {b!r}" for a, b in pairs if a != b), "one does more")
            return f"two calls did not do the same: {line}"
        for name, mine in self.namespace.items():
            theirs = other.namespace[name]
            if name[0] == "n":
                if type(mine) is not type(theirs):
                    return f"two calls did not do the same: {mine.label} and {theirs.label}"
                a, b = self._attributes[name], other._attributes[name]
                if a.keys() != b.keys() or not all(_same(a[key], b[key]) for key in a):
                    return f"arguments of {mine.label} differ from call to call"
            elif name[0] == "e":
                if not _same_effect(mine, theirs):
                    return "what is done beside functions differs from call to call"
            elif mine is not theirs and (isinstance(mine, Variable) or not _same(mine, theirs)):
                return "an array from outside of the step differs from call to call"
        return None

    # --- running --------------------

    def build(
        self, lines: Sequence[str] | None = None, more: Mapping[str, Any] = MappingProxyType({})
    ) -> Callable[[], Any]:
        """Return a function that runs the lines; `source` contains them.

        Args:
            lines: Other lines with the same effect; default: the recorded ones.
            more: Additional names in them.
        """
        kept = self._with_forgetting(_freeing(_last_only(self.lines if lines is None else lines)))
        self.source = "\n".join(["def replay():", *["    " + line for line in kept]]) + "\n"
        namespace = {
            **self.namespace,
            **more,
            "as_array": as_gradient_array,
            "as_output": as_output,
            "fit": fit_gradient,
            "full": np.full,
            "outside": outside,
            "report": report,
            "using_config": using_config,
        }
        for name in self._attributes:
            namespace[f"forget_{name}"] = self._forgetting(name)
        given = [value for value in self.namespace.values() if isinstance(value, Variable)]
        self._arrays = [(v, v._array.shape, v._array.dtype, v._array.strides) for v in given]
        self.reset()
        exec(compile(self.source, "<replay>", "exec"), namespace)
        return namespace["replay"]  # type: ignore[no-any-return]  # just compiled

    def is_current(self) -> bool:
        """Whether links and parameters are unchanged."""
        for own, count, keys, values in self._links:
            if len(own) != count or not all(map(operator.is_, map(own.get, keys), values)):
                return False
        for found, values in self._lists:
            if len(found) != len(values) or not all(map(operator.is_, found, values)):
                return False
        if any(optimizer.loss_scale != scale for optimizer, scale in self._loss_scales):
            return False
        for variable, shape, dtype, strides in self._arrays:
            array = variable._array
            if array.shape != shape or array.dtype is not dtype or array.strides != strides:
                return False
        return True

    def reset(self) -> None:
        """Delete what functions have kept."""
        for name in self._attributes:
            self._forgetting(name)()

    def _with_forgetting(self, lines: list[str]) -> list[str]:
        """If a function keeps only inputs and outputs, this is an assignment."""
        text = "\n".join(lines)
        for name in self._attributes:
            if not self._changes(name):
                slots = [slot for slot in ("_saved_inputs", "_saved_outputs") if f"{name}.{slot} = " in text]
                # The parenthesis ends the name, so n1 does not match n12.
                forget = " = ".join([*[f"{name}.{slot}" for slot in slots], "()"])
                text = text.replace(f"forget_{name}()", forget if slots else "pass")
        return [line for line in text.split("\n") if line.strip() != "pass"]

    def _changes(self, name: str) -> bool:
        """Whether calling the function has changed its attributes."""
        before, now = self._attributes[name], vars(self.namespace[name])
        return name in self._changed or any(
            before.get(key, self) is not value for key, value in now.items() if key not in BOOKKEEPING
        )

    def _forgetting(self, name: str) -> Callable[[], None]:
        """Restores the state in which a function computes next."""
        function = self.namespace[name]
        node = {key: vars(function)[key] for key in BOOKKEEPING if key in vars(function)}
        node.pop("_saved_inputs", None)
        node.pop("_saved_outputs", None)
        return partial(_restore, vars(function), {**self._attributes[name], **node})


def _restore(own: dict[str, Any], state: dict[str, Any]) -> None:
    own.clear()
    own.update(state)


def _last_only(lines: Sequence[str]) -> list[str]:
    """Return the lines without those that delete what a later line needs again."""
    last = {line.strip(): number for number, line in enumerate(lines)}
    return [
        line
        for number, line in enumerate(lines)
        if not line.strip().startswith("forget_") or last[line.strip()] == number
    ]


def _freeing(lines: list[str]) -> list[str]:
    """Return the lines, with each value deleted after its last use, as in a run without replay."""
    last: dict[str, int] = {}
    for number, line in enumerate(lines):
        for name in _LOCAL.findall(line):
            last[name] = number
    at: dict[int, list[str]] = {}
    for name, number in last.items():
        at.setdefault(number, []).append(name)
    freed = []
    for number, line in enumerate(lines):
        freed.append(line)
        if number in at and not line.startswith("return"):
            indent = line[: len(line) - len(line.lstrip())]
            freed.append(f"{indent}{' = '.join(at[number])} = None")
    return freed


def _same(a: Any, b: Any) -> bool:
    """Whether two calls have had equal values."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if type(a) in (tuple, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if type(a) is dict:
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    try:
        return bool(a == b)
    except Exception:  # objects with arrays in them, and those that refuse to be compared
        return False


def _same_effect(a: Any, b: Any) -> bool:
    """Compare methods of the same object, or new functions that refer to the same objects."""
    if isinstance(a, partial) and isinstance(b, partial):
        return a.func is b.func and len(a.args) == len(b.args) and all(map(operator.is_, a.args, b.args))
    cells = [[cell.cell_contents for cell in each.__closure__ or ()] for each in (a, b)]
    if a.__code__ is not b.__code__ or len(cells[0]) != len(cells[1]):
        return False
    return all(type(x) is type(y) and (isinstance(x, FunctionNode) or _same(x, y)) for x, y in zip(*cells, strict=True))
