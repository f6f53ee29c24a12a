"""Records functions: their inputs, and everything that they compute besides outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any
from weakref import ref

import numpy as np

from renga_compile.replay.names import Names, without_traces
from renga_compile.replay.traced_array import TracedArray, plain
from renga_core.graph import FunctionNode, Variable

__all__ = ["FunctionRecorder", "formula_of", "is_recomputation"]

_FORGOTTEN = "renga_nn.functions.util.recomputation.Recomputation"


class FunctionRecorder(Names):
    """Writes a line for each function that a step applies."""

    def __init__(self) -> None:
        super().__init__()
        self._functions: dict[FunctionNode, str] = {}  # by name
        self._inputs: dict[FunctionNode, list[str]] = {}
        self._outputs: list[tuple[ref[Variable], str]] = []
        self._concealed: dict[FunctionNode, list[tuple[str, Any, TracedArray]]] = {}
        self._part = 0  # number of functions before the part of a step that was entered last

    def apply(
        self, proceed: Callable[..., tuple[Variable, ...]], function: FunctionNode, inputs: Sequence[Variable | Any]
    ) -> tuple[Variable, ...]:
        """Record a function."""
        self._take_arguments(function)
        arrays = [plain(x) for x in inputs]
        if self.reason is None and function._hooks is not None:
            self.refuse(f"{function.label} has a hook of its own")
        if self.reason is not None:
            return proceed(function, arrays)
        if is_recomputation(function):
            return self._forgotten(proceed, function, arrays)
        attributes = dict(vars(function))
        names = [self.name_of_input(x) for x in inputs]
        outputs = proceed(function, arrays)
        if self.reason is None:
            self._note_function(function, attributes, names, outputs)
        return outputs

    def _forgotten(
        self, proceed: Callable[..., tuple[Variable, ...]], function: FunctionNode, arrays: list[Any]
    ) -> tuple[Variable, ...]:
        """Record the end of a part of the graph that is forgotten: its outputs have names, the rest is freed."""
        outputs = proceed(function, arrays)
        self._release_since(self._part)
        self._functions[function] = self.program.function(function, {})
        for y in outputs:
            self._made.add(id(y))
            self._outputs.append((ref(y), self.name_of(y._array)))
        return outputs

    def _release_since(self, count: int) -> None:
        """Free what functions after the first `count` have kept, if nothing of that graph is left."""
        functions = dict(islice(self._functions.items(), count, None))
        alive = (y for of, _ in self._outputs if (y := of()) is not None)
        if self.reason is None and not any(y.creator_node in functions for y in alive):
            for function, node in functions.items():
                self._concealed.pop(function, None)
                self.program.release(node)

    def _take_arguments(self, function: FunctionNode) -> None:
        """Arguments of the step may be attributes of a function: labels, indexes."""
        for key, value in vars(function).items():
            if isinstance(value, Variable):
                self.refuse(f"{function.label} keeps a Variable")
            if _holds_computed(value):
                self.refuse(f"{function.label} takes values that were computed as a constant")
            vars(function)[key] = without_traces(value)

    def _note_function(
        self, function: FunctionNode, attributes: dict[str, Any], names: list[str], outputs: tuple[Variable, ...]
    ) -> None:
        program = self.program
        node = program.function(function, attributes)
        self._functions[function] = node
        self._inputs[function] = names
        results = [program.local("v", y._array) for y in outputs]
        formula = formula_of(function)
        if formula is not None:
            program.line(f"{results[0]} = {formula[0].format(*names)}")
        else:
            program.line(f"{', '.join(results)}, = {node}.forward(({', '.join(names)},))")
        for y, name in zip(outputs, results, strict=True):
            if y._array.ndim == 0:
                program.line(f"{name} = as_output({node}, {name})")
            self.name(y._array, name)
            self._made.add(id(y))
            self._outputs.append((ref(y), name))
        if function._order >= 0 and formula is None:
            if function._input_indexes:
                program.line(f"{node}._saved_inputs = ({', '.join([names[i] for i in function._input_indexes])},)")
            if function._output_indexes:
                program.line(f"{node}._saved_outputs = ({', '.join([results[i] for i in function._output_indexes])},)")
        self._conceal(function, attributes)

    def _conceal(self, function: FunctionNode, before: dict[str, Any]) -> None:
        """Detect when the program reads attributes that a function has computed besides its outputs."""
        for key, value in vars(function).items():
            if isinstance(value, np.ndarray) and before.get(key) is not value:
                traced = self.trace(value, None)
                self._concealed.setdefault(function, []).append((key, value, traced))
                vars(function)[key] = traced

    @contextmanager
    def _revealed(self, functions: Iterable[FunctionNode]) -> Iterator[None]:
        """Restore these attributes for a block in which the library itself runs."""
        rows = [(vars(function), row) for function in functions for row in self._concealed.get(function, ())]
        for attributes, (key, array, traced) in rows:
            if attributes.get(key) is traced:
                attributes[key] = array
        try:
            yield
        except Exception:
            self.refuse("an error is raised in the middle of it")
            raise
        for attributes, (key, array, traced) in rows:
            if attributes.get(key) is array:
                attributes[key] = traced


def formula_of(function: FunctionNode) -> tuple[str, tuple[str, ...]] | None:
    """Return the formula of this exact class, because a subclass may compute something else."""
    return vars(type(function)).get("formula")


def is_recomputation(function: FunctionNode) -> bool:
    """Whether it represents a forgotten part of a graph, which backward computes again."""
    return f"{type(function).__module__}.{type(function).__qualname__}" == _FORGOTTEN


def _holds_computed(value: Any) -> bool:
    """Whether it contains an array that changes between calls: an argument or a view of one."""
    if type(value) is TracedArray:
        return not (isinstance(value.name, str) and value.name.startswith("c"))
    rows = value.values() if type(value) is dict else value if type(value) in (tuple, list) else ()
    return any(map(_holds_computed, rows))
