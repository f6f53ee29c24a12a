"""Converting rows of a table to vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from renga_core.configuration import get_dtype
from renga_core.errors import RengaError, did_you_mean
from renga_data.preprocessing.rows import MISSING, Rows, is_number, number_in, read_rows

__all__ = ["Column", "TablePreprocessing"]


@dataclass(frozen=True)
class Column:
    """Converts the cells of a column to numbers.

    Attributes:
        name: Name of the column.
        values: For a column of categories, its values: a cell becomes a one-hot vector. Empty: numbers.
        shift, scale: For a column of numbers: a cell becomes ``(number - shift) / scale``.
    """

    name: str
    values: tuple[str, ...] = ()
    shift: float = 0.0
    scale: float = 1.0

    @classmethod
    def fitted(cls, name: str, rows: Rows, category: bool | None, normalize: bool, train: Rows | None = None) -> Column:
        """Make it from the column of some rows.

        Args:
            name: Its name.
            rows: The rows; their values are the categories.
            train: Training rows, from which mean and standard deviation are computed; None: all.
            category: Whether it contains categories; None: if some cell is not a number.
            normalize: Whether numbers are scaled to mean 0 and standard deviation 1.

        Raises:
            RengaError: A value is missing, or not a number in a column of numbers.
        """
        for line, cells in rows.rows:
            if cells[name].lower() in MISSING:
                number_in("", rows.path, line, name)
        if category is None:
            category = any(not is_number(cells[name]) for _, cells in rows.rows)
        if category:
            return cls(name, tuple(sorted({cells[name] for _, cells in rows.rows}, key=_in_order)))
        if not normalize:
            return cls(name)
        for line, cells in rows.rows:
            number_in(cells[name], rows.path, line, name)
        numbers = np.array([float(cells[name]) for _, cells in (train or rows).rows])
        return cls(name, (), float(numbers.mean()), float(numbers.std()) or 1.0)

    def encode(self, cell: str, path: str, line: int) -> list[float]:
        """The numbers of a cell. Raises RengaError if it is an unknown category, missing, or not a number."""
        if not self.values:
            return [(number_in(cell, path, line, self.name) - self.shift) / self.scale]
        return [float(self.index(cell, path, line) == i) for i in range(len(self.values))]

    def index(self, cell: str, path: str, line: int) -> int:
        """The number of a category. Raises RengaError if the category is unknown."""
        if cell not in self.values:
            shown = ", ".join(self.values[:20]) + (", …" if len(self.values) > 20 else "")
            raise RengaError(
                f"{path}, line {line}, column {self.name!r}: {cell!r} is not among the values of the training data."
                f"{did_you_mean(cell, self.values)} Known: {shown}."
            )
        return self.values.index(cell)


@dataclass(frozen=True)
class TablePreprocessing:
    """Converts rows of a CSV file to vectors, and targets to class numbers or numbers.

    Attributes:
        columns: The input columns.
        target: The column to predict.
        delimiter, header: See `read_rows`.
    """

    columns: tuple[Column, ...]
    target: Column
    delimiter: str = ","
    header: bool = True

    @classmethod
    def fitted(
        cls,
        rows: Rows,
        train: Rows,
        target: str,
        names: Sequence[str],
        categories: Sequence[str],
        target_type: Literal["class", "number"],
        normalize: bool,
        delimiter: str,
        header: bool,
    ) -> TablePreprocessing:
        """Make it from rows and the indexes of training rows; see `renga_data.datasets.get_csv`."""
        columns = [Column.fitted(name, rows, True if name in categories else None, normalize, train) for name in names]
        wanted = Column.fitted(target, rows, target_type == "class", True, train)
        return cls(tuple(columns), wanted, delimiter, header)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes; empty if the target is a number."""
        return self.target.values

    @property
    def targets(self) -> tuple[str, ...]:
        """The name of the target."""
        return (self.target.name,)

    @property
    def target_shift(self) -> float:
        """The offset of numeric targets, after scaling, in the units of the file."""
        return self.target.shift

    @property
    def target_scale(self) -> float:
        """One unit of the network's output, in the units of the file."""
        return self.target.scale

    @property
    def outputs(self) -> int:
        """The number of outputs that the network needs."""
        return len(self.target.values) or 1

    def inputs(self, rows: Rows) -> np.ndarray[Any, Any]:
        """The vectors of rows, ``(len(rows), numbers)`` in ``config.dtype``."""
        made = [
            [number for column in self.columns for number in column.encode(cells[column.name], rows.path, line)]
            for line, cells in rows.rows
        ]
        return np.array(made, get_dtype())

    def labels(self, rows: Rows) -> np.ndarray[Any, Any]:
        """The targets of rows: class numbers ``(len(rows),)`` in int32, or numbers ``(len(rows), 1)``."""
        name = self.target.name
        if self.classes:
            return np.array([self.target.index(cells[name], rows.path, line) for line, cells in rows.rows], np.int32)
        made = [self.target.encode(cells[name], rows.path, line) for line, cells in rows.rows]
        return np.array(made, get_dtype())

    def prepare(self, row: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        """Make the input of one row, given as a dictionary by column: numbers, or texts as in a file.

        Raises:
            TypeError: The argument is not a dictionary.
            RengaError: A column is missing, or a value cannot be used.
        """
        if not isinstance(row, Mapping):
            raise TypeError(f"a row must be a dictionary of values by column, not {type(row).__name__}")
        cells = {str(name): str(value) for name, value in row.items()}
        rows = Rows("the row", tuple(cells), [(1, cells)])
        rows.check_columns([column.name for column in self.columns], "which the network was trained on")
        vector: np.ndarray[Any, Any] = self.inputs(rows)[0]
        return vector

    def read(self, path: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """Yield a name and the input of each row in a file; the target may be missing.

        Raises:
            RengaError: A column is missing, or a cell cannot be used.
        """
        rows = read_rows(path, self.delimiter, self.header)
        rows.check_columns([column.name for column in self.columns], "which the network was trained on")
        for (line, _), vector in zip(rows.rows, self.inputs(rows), strict=True):
            yield f"{path}:{line}", vector

    def as_document(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> TablePreprocessing:
        """Make it from the result of `as_document`."""
        columns = [Column(**{**each, "values": tuple(each["values"])}) for each in document["columns"]]
        target = document["target"]
        return cls(
            tuple(columns),
            Column(**{**target, "values": tuple(target["values"])}),
            str(document["delimiter"]),
            bool(document["header"]),
        )


def _in_order(text: str) -> tuple[int, float, str]:
    """Sort key: numbers by size, before text in alphabetical order."""
    return (0, float(text), text) if is_number(text) else (1, 0.0, text)
