"""Predictions for pictures, as one file in COCO's format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from renga_serializers.atomic import atomic_write

__all__ = ["CocoDocument"]

Array = np.ndarray[Any, Any]


class CocoDocument:
    """Images, categories, and annotations with scores: a file that COCO's tools can read.

    Args:
        classes: Names of the classes; class `i` is category ``i + 1``.

    Source: the data format of COCO, https://cocodataset.org/#format-data.
    """

    def __init__(self, classes: Sequence[str]) -> None:
        self._categories = [{"id": number, "name": name} for number, name in enumerate(classes, start=1)]
        self._images: list[dict[str, Any]] = []
        self._annotations: list[dict[str, Any]] = []

    def add(
        self, name: str, size: tuple[int, int], boxes: Array, labels: Array, scores: Array, masks: Array | None = None
    ) -> None:
        """Add a picture and its predictions.

        Args:
            name: Name of the file.
            size: Height and width.
            boxes: (R, 4): y_min, x_min, y_max, x_max.
            labels, scores: (R,).
            masks: bool (R, H, W), optional.
        """
        number = len(self._images) + 1
        self._images.append({"id": number, "file_name": name, "height": size[0], "width": size[1]})
        for i, (box, label, score) in enumerate(zip(boxes, labels, scores, strict=True)):
            top, left, bottom, right = (round(float(value), 3) for value in box)
            found = {
                "id": len(self._annotations) + 1,
                "image_id": number,
                "category_id": int(label) + 1,
                "bbox": [left, top, round(right - left, 3), round(bottom - top, 3)],
                "area": round((right - left) * (bottom - top), 3),
                "iscrowd": 0,
                "score": round(float(score), 5),
            }
            if masks is not None:
                found["area"] = int(masks[i].sum())
                found["segmentation"] = {"size": list(size), "counts": _run_lengths(masks[i])}
            self._annotations.append(found)

    def write(self, path: Path) -> None:
        """Write the file."""
        document = {"images": self._images, "categories": self._categories, "annotations": self._annotations}
        with atomic_write(path, "w") as file:
            file.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def _run_lengths(mask: Array) -> list[int]:
    """Return run lengths, column by column; the first run is outside the mask and may be 0."""
    pixels = np.concatenate([[False], mask.T.ravel()])
    changes = np.flatnonzero(np.diff(pixels))
    lengths: list[int] = np.diff(np.concatenate([[0], changes, [mask.size]])).tolist()
    return lengths
