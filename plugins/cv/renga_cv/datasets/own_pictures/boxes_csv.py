"""Pictures, and a table of boxes."""

from __future__ import annotations

from pathlib import Path

from renga_core.errors import RengaError
from renga_cv.datasets.own_pictures.pictures_with_boxes import Box, split_pictures
from renga_cv.datasets.own_pictures.variation import Variation
from renga_data.preprocessing import Split
from renga_data.preprocessing.rows import number_in, read_rows

__all__ = ["get_boxes_csv"]

_COLUMNS = ("file", "x_min", "y_min", "x_max", "y_max", "class")


def get_boxes_csv(
    path: str,
    folder: str | None = None,
    test_ratio: float = 0.2,
    seed: int = 0,
    delimiter: str = ",",
    flip: bool = False,
    crop: bool = False,
    distort: bool = False,
    scale: tuple[float, float] = (1.0, 1.0),
) -> Split:
    """Return (train, test) sets of pictures with the boxes that a CSV file lists: see `PicturesWithBoxes`.

    The file has a row for each object, with columns ``file``, ``x_min``, ``y_min``, ``x_max``, ``y_max`` (in pixels)
    and ``class``; others are not looked at. A picture without any object has a row with the other cells empty. Classes
    are numbered in the order of letters. Needs Pillow (``pip install 'renga[cv]'``).

    Args:
        path: The CSV file.
        folder: Where the pictures are; where the CSV file is if None.
        test_ratio: Part of the pictures that is for testing.
        seed: Of the choice of pictures for testing.
        delimiter: Between cells.
        flip: Whether pictures to train on are given as mirror images every other time.
        crop: Whether parts of them are given, that have some of their objects.
        distort: Whether their colours are changed.
        scale: Least and most of a factor by which they are made larger or smaller; see `Variation` for all four.

    Raises:
        RengaError: A column is not there, a cell is not a number, a box has no area, or a picture is not there. The
            message has file and line.
        ValueError: The scale is not from a positive number to one as large.
        OSError: The file cannot be read.
    """
    vary = Variation(flip, crop, distort, (scale[0], scale[1]))
    rows = read_rows(path, delimiter)
    rows.check_columns(list(_COLUMNS), "which tells of boxes")
    place = Path(path).parent if folder is None else Path(folder)
    found: dict[Path, list[Box]] = {}
    for line, cells in rows.rows:
        boxes = found.setdefault(place / cells["file"], [])
        if any(cells[name] for name in _COLUMNS[1:]):
            if not cells["class"]:
                raise RengaError(f"{path}, line {line}, column 'class': a missing value. Next: fill it in.")
            left, top, right, bottom = (number_in(cells[name], path, line, name) for name in _COLUMNS[1:5])
            boxes.append(Box(top, left, bottom, right, cells["class"]))
            boxes[-1].check(f"{path}, line {line}")
    classes = sorted({box.label for boxes in found.values() for box in boxes})
    return split_pictures(found, classes, test_ratio, seed, vary)
