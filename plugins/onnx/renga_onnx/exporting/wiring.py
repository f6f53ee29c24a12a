"""Compares two runs of a network: same functions, applied to the same arrays?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from renga_core.backend import Array, is_array
from renga_onnx.context import Context
from renga_onnx.exporting.choosing import name_of
from renga_onnx.exporting.recording import Applied
from renga_onnx.structure import arrays_in

__all__ = ["Run", "parting"]


@dataclass(frozen=True)
class Run:
    """A call of a network.

    Attributes:
        applied: Applied functions, in order.
        inputs: Input arrays, by name.
        results: Return value.
    """

    applied: Sequence[Applied]
    inputs: Mapping[str, Array]
    results: Any


@dataclass(frozen=True)
class _Origin:
    """Source of an array: numbers of a function and its output, or a name; and both in words."""

    key: tuple[int, int] | str
    words: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Origin) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def parting(run: Run, other: Run, context: Context, sizes: bool = False) -> str:
    """Describe the first difference between two runs; "" if there is none.

    Args:
        run, other: The runs.
        context: Has the names of the parameters.
        sizes: Whether the runs differ in sizes, which may decide which of several results is used.
    """
    own = context.own_names
    known, known_there = _origins(run, own), _origins(other, own)
    for a, b in zip(run.applied, other.applied, strict=False):
        place = _place(a)
        if type(a.function) is not type(b.function):
            return f"{place} in one run, {_place(b)} in the other"
        differing = "" if _is_reading(a) else _differing(_arrays(a), known, _arrays(b), known_there, sizes)
        if differing:
            return f"{place} computes with {differing}"
    shorter, longer = sorted((run.applied, other.applied), key=len)
    if len(shorter) < len(longer):
        return f"{_place(longer[len(shorter)])} in one run, but no function at this position in the other"
    differing = _differing(_returned(run), known, _returned(other), known_there, sizes)
    return f"it returns {differing}" if differing else ""


def _place(applied: Applied) -> str:
    return f"{name_of(applied.function)} ({applied.where})"


def _is_reading(applied: Applied) -> bool:
    """Whether it is not a function, but an access to the array of a Variable."""
    return name_of(applied.function) == "read"


def _origins(run: Run, own: Mapping[int, str]) -> dict[int, _Origin]:
    """Map arrays to their sources, by identity. All other arrays are constants."""
    found = {key: _Origin(name, name) for key, name in own.items()}
    found |= {id(array): _Origin(f"input {name}", name) for name, array in run.inputs.items()}
    for number, each in enumerate(run.applied):
        if _is_reading(each):
            found |= {id(y): found[id(x)] for x, y in zip(each.inputs, each.outputs, strict=True) if id(x) in found}
            continue
        words = f"what {_place(each)} returns"
        found |= {id(y): _Origin((number, i), words) for i, y in enumerate(each.outputs) if id(y) not in found}
    return found


def _returned(run: Run) -> list[Array]:
    return [getattr(y, "_array", y) for y in arrays_in(run.results)]


def _arrays(applied: Applied) -> list[Array]:
    """Return the inputs of a function, and the arrays that it holds."""
    held = getattr(applied.function, "__dict__", {}).values()
    parts = [part for value in held for part in (value if isinstance(value, tuple) else (value,))]
    return [*applied.inputs, *filter(is_array, parts)]


def _differing(
    arrays: Sequence[Array],
    known: Mapping[int, _Origin],
    others: Sequence[Array],
    there: Mapping[int, _Origin],
    sizes: bool,
) -> str:
    if len(arrays) != len(others):
        return ""  # the number depends on an axis, which other checks handle
    constant = _Origin("", "a constant")
    for x, y in zip(arrays, others, strict=True):
        a, b = known.get(id(x), constant), there.get(id(y), constant)
        results = not isinstance(a.key, str) and not isinstance(b.key, str)
        if a != b and not (sizes and results):
            return f"{a.words} in one run, {b.words} in the other"
    return ""
