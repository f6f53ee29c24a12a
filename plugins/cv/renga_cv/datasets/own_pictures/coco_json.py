"""Pictures, and a document of boxes in COCO's format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from renga_core.errors import RengaError
from renga_cv.datasets.own_pictures.pictures_with_boxes import Box, split_pictures
from renga_data.preprocessing import Split

__all__ = ["get_coco_json"]


def get_coco_json(path: str, folder: str | None = None, test_ratio: float = 0.2, seed: int = 0) -> Split:
    """Return (train, test) sets of pictures with the boxes that a JSON file in COCO's format tells.

    See `PicturesWithBoxes`. Classes are the file's categories, in its order. Crowds (``iscrowd``) and boxes without an
    area are left out. Needs Pillow (``pip install 'renga[cv]'``).

    Args:
        path: The file, with lists ``images``, ``annotations`` and ``categories``.
        folder: Where the pictures are; where the file is if None.
        test_ratio: Part of the pictures that is for testing.
        seed: Of the choice of pictures for testing.

    Raises:
        RengaError: The file is no such document, or a picture is not there.
        OSError: The file cannot be read.

    Source: the data format of COCO, https://cocodataset.org/#format-data.
    """
    place = Path(path).parent if folder is None else Path(folder)
    try:
        document: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        names = {category["id"]: str(category["name"]) for category in document["categories"]}
        files = {image["id"]: place / image["file_name"] for image in document["images"]}
        found: dict[Path, list[Box]] = {file: [] for file in files.values()}
        for each in document["annotations"]:
            left, top, width, height = map(float, each["bbox"])
            if width > 0 and height > 0 and not each.get("iscrowd"):
                box = Box(top, left, top + height, left + width, names[each["category_id"]])
                found[files[each["image_id"]]].append(box)
    except (KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise RengaError(
            f"{path} is no document with images, annotations and categories as COCO's are ({what})"
        ) from error
    return split_pictures(found, list(names.values()), test_ratio, seed)
