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
    and ``class``; other columns are ignored. A picture without objects has a row whose other cells are empty. Classes
    are numbered alphabetically. Needs Pillow (``pip install 'renga[cv]'``).

    Args:
        path: The CSV file.
        folder: Folder of the pictures; None: the folder of the CSV file.
        test_ratio: Fraction of the pictures used for testing.
        seed: Seed of the random choice of test pictures.
        delimiter: The character between cells.
        flip: Mirror training pictures at random, half of the time.
        crop: Crop training pictures at random; a crop contains at least one object.
        distort: Change the colours of training pictures at random.
        scale: Range of the random factor that resizes training pictures; see `Variation`.

    Raises:
        RengaError: A column or a picture is missing, a cell is not a number, or a box has no area. The
            message has file and line.
        ValueError: The scale is not a range of positive numbers.
        OSError: The file cannot be read.
    """
    vary = Variation(flip, crop, distort, (scale[0], scale[1]))
    rows = read_rows(path, delimiter)
    rows.check_columns(list(_COLUMNS), "which lists boxes")
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
