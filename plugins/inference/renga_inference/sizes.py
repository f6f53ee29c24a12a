"""Numbers that follow from the size of a batch, found by comparing runs with batches of several sizes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["Differs", "Number", "Size", "agree", "mapped", "same", "value_at"]


class Differs(Exception):
    """Two runs of a model differ in something that does not follow from the size of the batch."""


class Number:
    """Placeholder for a value that is not known yet; it has no parts."""


@dataclasses.dataclass(frozen=True)
class Size(Number):
    """``slope * batch + offset``.

    Attributes:
        slope, offset: Integers.
    """

    slope: int
    offset: int

    def at(self, batch: int) -> int:
        """The value for a batch of this size."""
        return self.slope * batch + self.offset


def agree(values: Sequence[Any], batches: Sequence[int]) -> Any:
    """Combine the values of several runs.

    Args:
        values: One value from each run: a number, a string, a dtype, an array, a frozen dataclass, or a tuple, list,
            dictionary or slice of such values.
        batches: The size of the batch in each run.

    Returns:
        The value, with a `Size` in place of each integer that differs between runs.

    Raises:
        Differs: The values differ in another way.
    """
    first = values[0]
    if any(type(value) is not type(first) for value in values):
        raise Differs
    if type(first) is int:
        return _number(values, batches)
    parts = _parts(first)
    if parts is None:
        if not all(same(first, value) for value in values):
            raise Differs
        return first
    columns = [_parts(value) or [] for value in values]
    if len({len(column) for column in columns}) > 1:
        raise Differs
    if isinstance(first, dict) and any(value.keys() != first.keys() for value in values):
        raise Differs
    return _rebuilt(first, [agree(each, batches) for each in zip(*columns, strict=True)])


def value_at(value: Any, batch: int) -> Any:
    """The value for a batch of this size: each `Size` in it becomes a number."""
    return mapped(value, lambda part: part.at(batch) if isinstance(part, Size) else part)


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the value, with `change` applied to each part that has no parts itself."""
    parts = _parts(value)
    if parts is None:
        return change(value)
    made = [mapped(part, change) for part in parts]
    return value if all(new is old for new, old in zip(made, parts, strict=True)) else _rebuilt(value, made)


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal; arrays, to the bit."""
    if a is b:
        return True
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, float) and a != a:
        return bool(b != b)
    try:
        return bool(a == b)
    except Exception:  # some objects refuse to be compared
        return False


def _number(values: Sequence[int], batches: Sequence[int]) -> int | Size:
    if len(set(values)) == 1:
        return values[0]
    if batches[0] == batches[1]:
        raise Differs
    slope, rest = divmod(values[1] - values[0], batches[1] - batches[0])
    size = Size(slope, values[0] - slope * batches[0])
    if rest or any(size.at(batch) != value for value, batch in zip(values, batches, strict=True)):
        raise Differs
    return size


def _parts(value: Any) -> list[Any] | None:
    """The parts of a value; None if it has none."""
    if type(value) in (tuple, list):
        return list(value)
    if type(value) is dict:
        return list(value.values())
    if isinstance(value, slice):
        return [value.start, value.stop, value.step]
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, Number)):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    return None


def _rebuilt(like: Any, parts: list[Any]) -> Any:
    """A value of the same kind with other parts."""
    if type(like) is dict:
        return dict(zip(like, parts, strict=True))
    if type(like) in (tuple, list):
        return type(like)(parts)
    if isinstance(like, slice):
        return slice(*parts)
    made = object.__new__(type(like))
    for field, part in zip(dataclasses.fields(like), parts, strict=True):
        object.__setattr__(made, field.name, part)
    return made
