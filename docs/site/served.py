"""Who serves a public name: its plugin, the kernels of its operations, and the backends that it is tested on."""

from __future__ import annotations

import doctest
import re
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from names import Name

from renga_core.graph import Variable, as_variable
from renga_core.kernel import ListOperation
from renga_core.kernel.candidates import offered_kernels
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import registry
from renga_core.tracer import Tracer
from renga_optimizers.update_operation import UpdateOperation

__all__ = ["served"]

TESTED = Path(__file__).parents[1] / "reference" / "functions-by-backend.md"


class _Operations(Tracer):
    """Notes which operations compute, forward and backward."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.outputs: list[Variable] = []

    def apply(self, proceed: Any, function: Any, inputs: Any) -> Any:
        """Make inputs want gradients, so that there is a way back."""
        variables = map(as_variable, inputs)
        wanting = (x if x.requires_grad or x.dtype.kind != "f" else Variable(x.array) for x in variables)
        outputs = proceed(function, tuple(wanting))
        self.outputs += [y for y in outputs if y.requires_grad]
        return outputs

    def chosen(self, operation: Any, implementation: Any) -> None:
        """Note the operation."""
        self.found.add(operation.name)


def served(name: Name) -> Iterator[str]:
    """Yield lines of reStructuredText about who serves a name."""
    offered = "the core" if name.plugin == "core" else f"plugin ``{name.plugin}``"
    use = f", as ``{name.kind[1]}`` of kind ``{name.kind[0]}``" if name.kind else ""
    yield f"- Offered by {offered}{use}; defined in ``{name.home}``."
    tested = _tested().get(tuple(name.kind), "")
    if tested:
        yield f"- Tests passed on each array backend: {tested} (:doc:`all </reference/functions-by-backend>`)."
    operations = sorted(_operations(name)) if name.kind and name.kind[0] in ("function", "link", "optimizer") else []
    if operations:
        yield "- Operations that it computes with, and the kernels of each, in the order in which they are tried:"
        yield ""
        for operation in operations:
            chains = [f"on ``{backend}`` {kernels}, reference" for backend, kernels in _kernels(operation)]
            rest = "on any other backend, reference" if chains else "reference"
            yield f"  - ``{operation}``: {'; '.join([*chains, rest])}"


def _kernels(operation: str) -> Iterator[tuple[str, str]]:
    """Yield the backends that have kernels of an operation, and their names."""
    for backend in registry(ARRAY_BACKEND).names():
        if offers := offered_kernels(operation, backend):
            yield backend, ", ".join(f"``{offer.full_name}``" for offer in offers)


@cache
def _tested() -> dict[tuple[str, ...], str]:
    """By kind and name, the table's line of how many tests passed on which backend."""
    found: dict[tuple[str, ...], str] = {}
    kind, backends = "", []
    for line in TESTED.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in ("function", "link", "optimizer"):
            kind, backends = cells[0], [cell.partition(" ")[0].strip("`") for cell in cells[1:]]
        elif re.fullmatch(r"`\w+`", cells[0]) and len(cells) == len(backends) + 1:
            counts = [f"``{name}`` {cell}" for name, cell in zip(backends, cells[1:], strict=True)]
            found[kind, cells[0].strip("`")] = ", ".join(counts)
    return found


def _operations(name: Name) -> set[str]:
    """The operations that the examples of a name use, forward and backward; those of an optimizer by their names."""
    target = name.load()
    if name.kind and name.kind[0] == "optimizer":
        module = sys.modules[target.__module__]
        operations = [value for value in vars(module).values() if isinstance(value, ListOperation)]
        halves = [operation.half for operation in operations if isinstance(operation, UpdateOperation)]
        return {operation.name for operation in operations + halves}
    tracer = _Operations()
    finder = doctest.DocTestFinder(recurse=False)
    for example in finder.find(target, name.name, globs={**vars(sys.modules[target.__module__])}):
        with warnings.catch_warnings(), tracer:
            warnings.simplefilter("ignore")
            doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None)
            for y in tracer.outputs[-1:]:
                try:
                    y.grad = y.xp.ones_like(y.array)
                    y.backward()
                except Exception:  # an example need not be differentiable; its forward has been seen
                    break
    return tracer.found
