"""Examples of data sets: describes their parts, and compares two examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["arrays_of", "difference", "parts_of", "structure"]


def parts_of(example: Any, path: str = "example") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of an example in tuples, lists and dictionaries, with their positions."""
    if isinstance(example, Mapping):
        for key, value in example.items():
            yield from parts_of(value, f"{path}[{key!r}]")
    elif isinstance(example, (tuple, list)):
        for number, value in enumerate(example):
            yield from parts_of(value, f"{path}[{number}]")
    else:
        yield path, example


def arrays_of(example: Any) -> list[np.ndarray[Any, Any]]:
    """The host arrays of an example."""
    return [part for _, part in parts_of(example) if isinstance(part, np.ndarray)]


def structure(example: Any, shapes: bool = True) -> str:
    """Describe number and types of the parts of an example: ``(float32 (64,), int32 ())``.

    Without shapes, only the number of axes counts, and lists are of any length.
    """
    if isinstance(example, Mapping):
        return "{" + ", ".join(f"{key!r}: {structure(value, shapes)}" for key, value in sorted(example.items())) + "}"
    if isinstance(example, tuple):
        return "(" + ", ".join(structure(value, shapes) for value in example) + ")"
    if isinstance(example, list):
        inside = [structure(value, shapes) for value in example]
        return "[" + ", ".join(inside if shapes else sorted(set(inside))) + "]"
    if isinstance(example, (np.ndarray, np.generic)):
        return f"{example.dtype} {example.shape}" if shapes else f"{example.ndim}-d {example.dtype}"
    return type(example).__name__


def difference(got: Any, right: Any) -> str:
    """How two examples differ, in a few words; "" if they are equal (NaN is equal to NaN)."""
    kinds = structure(got), structure(right)
    if kinds[0] != kinds[1]:
        return f"it is {kinds[0]} instead of {kinds[1]}"
    for (path, one), (_, other) in zip(parts_of(got), parts_of(right), strict=True):
        if isinstance(one, (np.ndarray, np.generic)):
            same = bool(np.all((one == other) | ((one != one) & (other != other))))
        else:
            same = one is other or bool(one == other)
        if not same:
            return f"{path} is another"
    return ""
