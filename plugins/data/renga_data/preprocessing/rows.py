"""Reading CSV files: rows with line numbers, and errors with file, line and column."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path
from typing import NamedTuple

from renga_core.errors import RengaError, did_you_mean

__all__ = ["MISSING", "Rows", "is_number", "number_in", "read_rows"]

MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
"""Texts that stand for a missing value, in lower case."""


class Rows(NamedTuple):
    """The rows of a file.

    Attributes:
        path: Path of the file, for messages.
        names: Names of the columns.
        rows: The line number of each row, from 1, and its cells by name.
    """

    path: str
    names: tuple[str, ...]
    rows: list[tuple[int, dict[str, str]]]

    def check_columns(self, wanted: list[str], what: str) -> None:
        """Raise RengaError if a column is missing."""
        for name in wanted:
            if name not in self.names:
                raise RengaError(
                    f"{self.path} has no column {name!r}, {what}.{did_you_mean(name, self.names)} "
                    f"Columns: {', '.join(self.names)}."
                )


def read_rows(path: str | Path, delimiter: str = ",", header: bool = True) -> Rows:
    """Read a file.

    Args:
        path: Path of the file: UTF-8 text.
        delimiter: Separator of cells.
        header: Whether the first line has the names of columns; otherwise they are "1", "2", …

    Raises:
        RengaError: The file does not exist, is empty or not text, or a row has another number of cells; the message has
            the line.
        OSError: The file cannot be read.
    """
    found: list[tuple[int, list[str]]] = []
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            for cells in reader:
                if cells:
                    found.append((reader.line_num, [cell.strip() for cell in cells]))
    except FileNotFoundError as error:
        raise RengaError(f"{path}: no such file. Relative paths start in the working folder, {os.getcwd()}.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise RengaError(f"{path}: not a CSV file in UTF-8: {error}") from error
    if len(found) <= header:
        raise RengaError(f"{path} has no rows{' below the line with the names' if found else ''}.")
    names = found[0][1] if header else [str(i + 1) for i in range(len(found[0][1]))]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RengaError(f"{path}, line {found[0][0]}: two columns have the name {twice!r}.")
    if header and all(is_number(name) for name in names):
        raise RengaError(
            f"{path}, line {found[0][0]}: found numbers instead of the names of the columns. "
            "Next: if the file has no line of names, set header = false; the columns are then named 1, 2, …"
        )
    rows = []
    for line, cells in found[header:]:
        if len(cells) != len(names):
            raise RengaError(f"{path}, line {line}: {len(cells)} cells, but {len(names)} columns.")
        rows.append((line, dict(zip(names, cells, strict=True))))
    return Rows(str(path), tuple(names), rows)


def number_in(cell: str, path: str, line: int, column: str) -> float:
    """Return the number in a cell.

    Raises:
        RengaError: The value is missing, or not a finite number.
    """
    if cell.lower() in MISSING:
        raise RengaError(
            f"{path}, line {line}, column {column!r}: a missing value ({cell!r}). Next: fill it in, or remove the row."
        )
    try:
        value = float(cell)
    except ValueError:
        raise RengaError(f"{path}, line {line}, column {column!r}: {cell!r} is not a number.") from None
    if not math.isfinite(value):
        raise RengaError(f"{path}, line {line}, column {column!r}: {cell!r} is not a finite number.")
    return value


def is_number(text: str) -> bool:
    """Whether a text can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
