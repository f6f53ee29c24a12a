"""Pictures, and a document of boxes and masks in COCO's format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from renga_core.errors import RengaError
from renga_cv.datasets.own_pictures.pictures_with_boxes import Annotation, Box, split_pictures
from renga_cv.datasets.own_pictures.variation import Variation
from renga_data.preprocessing import Split
from renga_serializers.optional import require

__all__ = ["get_coco_json"]


def get_coco_json(
    path: str,
    folder: str | None = None,
    test_ratio: float = 0.2,
    seed: int = 0,
    target_type: Annotation = "boxes",
    flip: bool = False,
    crop: bool = False,
    distort: bool = False,
    scale: tuple[float, float] = (1.0, 1.0),
) -> Split:
    """Return (train, test) sets of pictures with the boxes, or masks, in a JSON file of COCO's format.

    See `PicturesWithBoxes`. Classes are the file's categories, in its order. Crowds (``iscrowd``) and boxes without an
    area are left out. Needs Pillow (``pip install 'renga[cv]'``); masks that are polygons need pycocotools
    (``pip install 'renga[coco]'``), run lengths do not.

    Args:
        path: The file, with lists ``images``, ``annotations`` and ``categories``.
        folder: Folder of the pictures; None: the folder of the file.
        test_ratio: Fraction of the pictures used for testing.
        seed: Seed of the random choice of test pictures.
        target_type: Contents of examples besides the image: ``"boxes"``, ``"masks"`` or ``"pixels"``. In a run, the
            task sets it.
        flip: Mirror training pictures at random, half of the time.
        crop: Crop training pictures at random; a crop contains at least one object.
        distort: Change the colours of training pictures at random.
        scale: Range of the random factor that resizes training pictures; see `Variation`.

    Raises:
        RengaError: The file has another format; a picture is missing; an object has no mask, although masks are
            requested; or a mask is a polygon, and pycocotools is not installed.
        ValueError: The scale is not a range of positive numbers, or `crop` is used with classes of pixels.
        OSError: The file cannot be read.

    Source: the data format of COCO, https://cocodataset.org/#format-data.
    """
    vary = Variation(flip, crop, distort, (scale[0], scale[1]))
    if crop and target_type == "pixels":
        raise ValueError("crop = true is for boxes and masks of objects; for classes of pixels, scale = [0.5, 2] crops")
    place = Path(path).parent if folder is None else Path(folder)
    try:
        document: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        names = {category["id"]: str(category["name"]) for category in document["categories"]}
        files = {image["id"]: place / image["file_name"] for image in document["images"]}
        found: dict[Path, list[Box]] = {file: [] for file in files.values()}
        for each in document["annotations"]:
            left, top, width, height = map(float, each["bbox"])
            if width > 0 and height > 0 and not each.get("iscrowd"):
                box = Box(top, left, top + height, left + width, names[each["category_id"]], each.get("segmentation"))
                found[files[each["image_id"]]].append(box)
    except (KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise RengaError(
            f"{path} is not a file in COCO's format, with images, annotations and categories ({what})"
        ) from error
    if target_type != "boxes":
        _check_masks(path, found)
    return split_pictures(found, list(names.values()), test_ratio, seed, vary, target_type)


def _check_masks(path: str, found: dict[Path, list[Box]]) -> None:
    """Raise RengaError if an object has no mask, or a mask that cannot be read here."""
    for file, boxes in found.items():
        for box in boxes:
            if not box.segmentation:
                raise RengaError(
                    f"{path} has no mask ('segmentation') for an object {box.label!r} in {file.name}. Next: mark its "
                    "outline with the annotation tool, or choose the task detection, for which boxes are enough."
                )
            if isinstance(box.segmentation, list):
                require("pycocotools", f"the polygons of {path}", "coco")
