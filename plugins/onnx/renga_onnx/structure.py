"""Finds arrays in nested lists, tuples and dictionaries, for arguments and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from renga_core.backend import is_array
from renga_core.graph import Variable

__all__ = ["arrays_in", "is_input", "leaves", "with_arrays"]


def is_input(value: Any) -> bool:
    """Whether a value is an array or a Variable. NumPy's scalars are numbers."""
    return isinstance(value, Variable) or is_array(value)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the leaves of nested lists, tuples and dictionaries, with their keys and indices."""
    if isinstance(value, (list, tuple, Mapping)):
        for key, each in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from leaves(each, (*path, key))
    else:
        yield path, value


def arrays_in(value: Any) -> list[Any]:
    """Return the arrays and Variables of a value, in order."""
    return [leaf for _, leaf in leaves(value) if is_input(leaf)]


def with_arrays(value: Any, arrays: Iterator[Any]) -> Any:
    """Return the same structure with other arrays."""
    if is_input(value):
        return next(arrays)
    if isinstance(value, Mapping):
        return {key: with_arrays(each, arrays) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [with_arrays(each, arrays) for each in value]
        return parts if isinstance(value, list) else tuple(parts)
    return value
