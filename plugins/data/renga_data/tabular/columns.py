"""Operations on a column, which is an array of any backend, or a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import get_array_module, get_backend
from renga_data.tabular.rows import Rows, as_range

__all__ = ["as_array", "is_array", "joined", "reordered", "take"]


def is_array(column: Any) -> bool:
    """Whether it is an array with an axis of rows."""
    return hasattr(column, "dtype") and len(getattr(column, "shape", ())) > 0


def take(column: Any, rows: Rows) -> Any:
    """Rows of a column: an array of an array, otherwise a list."""
    if is_array(column):
        return column if rows is None else column[rows if isinstance(rows, slice) else _indices(column, rows)]
    if isinstance(column, list) and (rows is None or isinstance(rows, slice)):
        return column if rows is None else column[rows]
    if rows is None or isinstance(rows, slice):
        rows = list(as_range(rows or slice(None), len(column)))
    return [column[i] for i in rows]


def joined(columns: Sequence[Any]) -> Any:
    """Concatenate columns: to an array if all are arrays with rows of one shape and dtype, otherwise to a list."""
    first = columns[0]
    if all(is_array(c) and c.shape[1:] == first.shape[1:] and c.dtype == first.dtype for c in columns):
        modules = {id(get_array_module(c)) for c in columns}
        if len(modules) == 1:
            return get_array_module(first).concatenate(list(columns))
    return [row for column in columns for row in column]


def reordered(column: Any, order: np.ndarray[Any, Any]) -> Any:
    """The rows of a column in another order."""
    return take(column, order.tolist())


def as_array(column: Any) -> Any:
    """A column as an array: itself, or its rows stacked on their device."""
    if is_array(column):
        return column
    if len(column) > 0 and hasattr(column[0], "shape"):
        return get_array_module(column[0]).stack(list(column))
    return np.asarray(column)


def _indices(column: Any, rows: list[int]) -> Any:
    backend = get_backend(column)
    return backend.asarray(np.asarray(rows, np.intp), backend.device_index(column))
