"""`get_csv`: a CSV file as a data set."""

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

    Numeric columns are scaled to mean 0 and standard deviation 1, and so is a numeric target. Text columns are
    categories, with one-hot encoding. Means and standard deviations are computed from the training part.

    Args:
        path: The file: UTF-8 text, whose first line has the names of the columns.
        target: The column to predict.
        columns: The input columns; None: all others.
        categories: Numeric columns that are categories, such as codes.
        target_type: Whether the target is a class or a number. None: the run's task decides; in a program, it is a
            number if all its cells are.
        normalize: Whether numeric inputs are scaled. A numeric target is always scaled.
        test_ratio: Fraction of the rows for testing; of each class, if the target is a class.
        test_path: A file with test rows; then all rows of `path` are for training.
        seed: Seed for choosing the test rows.
        delimiter: Separator of cells.
        header: Whether the file has a line of names; otherwise columns are named "1", "2", …

    Raises:
        RengaError: A column is missing; a value is missing, not a number, or a category that the training data do not
            have. The message has file, line and column.
        OSError: The file cannot be read.
    """
    rows = read_rows(path, delimiter, header)
    rows.check_columns([target], "the column to predict")
    names = [name for name in rows.names if name != target] if columns is None else list(columns)
    rows.check_columns([*names, *categories], "an input column")
    if target in names:
        raise RengaError(f"{path}: column {target!r} is the target and cannot be an input")
    if not names:
        raise RengaError(f"{path}: there is no input column besides {target!r}")
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
