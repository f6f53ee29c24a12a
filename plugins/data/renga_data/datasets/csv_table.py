"""A CSV file as a data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from renga_core.errors import RengaError
from renga_data.datasets.tuple_dataset import TupleDataset
from renga_data.preprocessing.rows import Rows, read_rows
from renga_data.preprocessing.split import Split, split_indices
from renga_data.preprocessing.table import Column, TablePreprocessing

__all__ = ["get_csv"]


def get_csv(
    path: str,
    target: str,
    columns: Sequence[str] | None = None,
    categories: Sequence[str] = (),
    target_type: Literal["class", "number"] | None = None,
    normalize: bool = True,
    test_ratio: float = 0.2,
    test_path: str | None = None,
    seed: int = 0,
    delimiter: str = ",",
    header: bool = True,
) -> Split:
    """Return (train, test) sets of the rows of a CSV file: pairs of a vector and a target.

    Columns of numbers are scaled to mean 0 and standard deviation 1, and so is a target that is a number. Columns of
    text are categories: each value has a place in the vector, with 1 where the row has it and 0 elsewhere. Means and
    deviations are those of the training part.

    Args:
        path: The file: text in UTF-8, the first line of which has the names of the columns.
        target: The column that is to be predicted.
        columns: The columns that are inputs; all others if None.
        categories: Columns that are categories although they hold numbers, such as codes.
        target_type: Whether the target is a class or a number. None: as the task of the run says; in a program, a
            number if all its cells are.
        normalize: Whether columns of numbers are scaled. A target that is a number is in any case.
        test_ratio: Part of the rows that is for testing; of each class, where the target is a class.
        test_path: A file of rows for testing; then all rows of `path` are for training.
        seed: Of the choice of rows for testing.
        delimiter: Between cells.
        header: Whether the file has a line of names; otherwise columns are named "1", "2", …

    Raises:
        RengaError: A column is not there; a value is missing, no number, or a category that training does not have.
            The message has file, line and column.
        OSError: The file cannot be read.
    """
    rows = read_rows(path, delimiter, header)
    rows.check_columns([target], "which is to be predicted")
    names = [name for name in rows.names if name != target] if columns is None else list(columns)
    rows.check_columns([*names, *categories], "which is to be an input")
    if target in names:
        raise RengaError(f"{path}: column {target!r} is to be predicted, and cannot be an input")
    if not names:
        raise RengaError(f"{path}: there is no column to be an input beside {target!r}")
    if target_type is None:
        target_type = "class" if Column.fitted(target, rows, None, False).values else "number"
    if test_path is not None:
        train, test = rows, read_rows(test_path, delimiter, header)
        test.check_columns([*names, target], f"which {path} has")
    else:
        classes = None
        if target_type == "class":
            values = Column.fitted(target, rows, True, False)
            classes = [values.index(cells[target], path, line) for line, cells in rows.rows]
        chosen = split_indices(len(rows.rows), test_ratio, seed, classes)
        train, test = (Rows(rows.path, rows.names, [rows.rows[i] for i in part]) for part in chosen)
    made = TablePreprocessing.fitted(rows, train, target, names, categories, target_type, normalize, delimiter, header)
    train_set, test_set = (TupleDataset(made.inputs(part), made.labels(part)) for part in (train, test))
    return Split(train_set, test_set, made)
