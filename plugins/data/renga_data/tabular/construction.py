"""`from_data`: makes a data set with columns from arrays, lists and functions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from renga_data.tabular import columns
from renga_data.tabular.rows import Rows, as_range
from renga_data.tabular.table import Mode, TabularDataset

__all__ = ["from_data"]

_numbers = count()


def from_data(data: Any, *, size: int | None = None) -> TabularDataset:
    """Make a data set with columns.

    Args:
        data: A column; or a tuple of columns, for examples that are tuples; or a dictionary of columns, for examples
            that are dictionaries. A column is

            - an array or a list, alone or as ``(name, array)``; a missing name is replaced by one that begins with
              ``_``;
            - ``(name, function)``: the function is called with the index of an example, and returns the element;
            - ``((name, …), function)``: it returns a tuple of elements, or a dictionary of them by name.

            In a dictionary, the keys are the names.
        size: Number of examples. Needed if all columns are functions.

    Raises:
        ValueError: A function has no name, or `size` is missing; lengths differ; names are not unique.
        TypeError: A column is none of these.

    Example:
        >>> dataset = from_data((("x", [1, 2, 3]), ("square", lambda i: i * i)))
        >>> dataset.keys, dataset[2]
        (('x', 'square'), (3, 4))
        >>> from_data({"x": [1, 2, 3]})[0]
        {'x': 1}
        >>> from_data([1, 2, 3])[0]
        1
    """
    if isinstance(data, dict):
        parts = [_column(names, values, _size(data.values(), size)) for names, values in data.items()]
    elif isinstance(data, tuple) and not _is_named(data):
        unnamed = [(d if _is_named(d) else (None, d)) for d in data]
        parts = [_column(names, values, _size((v for _, v in unnamed), size)) for names, values in unnamed]
    else:
        names, values = data if isinstance(data, tuple) else (None, data)
        return _column(names, values, size)
    if not parts:
        raise ValueError("from_data: there is no column")
    joined = parts[0].join(*parts[1:])
    return joined.as_dict() if isinstance(data, dict) else joined.as_tuple()


class _Column(TabularDataset):
    """An array or a list."""

    def __init__(self, name: str, values: Any) -> None:
        self._name = name
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    @property
    def keys(self) -> tuple[str, ...]:
        return (self._name,)

    @property
    def mode(self) -> Mode:
        return None

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:
        return (columns.take(self._values, indices),) * (1 if key_indices is None else len(key_indices))


class _Numbers(_Column):
    """The numbers of the examples."""

    def __init__(self, size: int) -> None:
        super().__init__("index", range(size))

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:
        numbers = indices if isinstance(indices, list) else list(as_range(indices or slice(None), len(self)))
        return (numbers,) * (1 if key_indices is None else len(key_indices))


def _is_named(data: Any) -> bool:
    """Whether it is (name, values) or ((name, …), values)."""
    if not isinstance(data, tuple) or len(data) != 2:
        return False
    names = data[0] if isinstance(data[0], tuple) else (data[0],)
    return len(names) > 0 and all(isinstance(name, str) for name in names)


def _size(values: Any, size: int | None) -> int | None:
    return next((len(v) for v in values if hasattr(v, "__len__")), None) if size is None else size


def _column(names: Any, values: Any, size: int | None) -> TabularDataset:
    if columns.is_array(values) or (hasattr(values, "__getitem__") and hasattr(values, "__len__")):
        if isinstance(names, tuple):
            raise ValueError(f"from_data: several names, {names}, for one column of {type(values).__name__}")
        return _Column(f"_{next(_numbers)}" if names is None else names, values)
    if not callable(values):
        raise TypeError(f"from_data: a column must be an array, a list or a function, not {type(values).__name__}")
    return _computed(names, values, size)


def _computed(names: Any, function: Callable[[int], Any], size: int | None) -> TabularDataset:
    if names is None:
        raise ValueError("from_data: a function needs a name, or several: ('name', function)")
    if size is None:
        raise ValueError(f"from_data: `size` is needed for {names!r}: a function does not say how many examples it has")
    return _Numbers(size).transform(names, function)
