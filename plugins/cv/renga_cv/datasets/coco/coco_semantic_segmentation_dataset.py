"""COCO with a class for each pixel."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from renga_cv.datasets.coco.coco_utils import SPLITS, get_coco
from renga_cv.datasets.folders import check_choice, require_file
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image
from renga_data.datasets.file_errors import reading

__all__ = ["COCOSemanticSegmentationDataset"]


class COCOSemanticSegmentationDataset(GetterDataset):
    """Photographs of COCO 2017, each pixel of which has one of 133 classes (of the panoptic annotations).

    An example has the elements ``img``, float32 ``(3, H, W)``; ``label``, int32 ``(H, W)``, -1 where there is no class.
    Names of classes: `coco_semantic_segmentation_label_names`.

    Args:
        data_dir: The folder that contains ``images/{split}2017``, ``annotations/panoptic_{split}2017.json`` and the
            folder ``annotations/panoptic_{split}2017``; ``"auto"``: in the cache, downloaded if missing.
        split: ``"train"`` or ``"val"``.

    Raises:
        ValueError: The split is unknown.
        FileNotFoundError: `data_dir` does not contain the annotations; from indexing, a picture is missing.
        FileDamaged: The annotations are damaged.
        DownloadError: The download failed.

    Source: A. Kirillov et al., *Panoptic Segmentation*, 2019.
    """

    def __init__(self, data_dir: str | os.PathLike[str] = "auto", split: str = "train") -> None:
        super().__init__()
        name = "COCOSemanticSegmentationDataset"
        check_choice(name, "split", split, SPLITS["2017"])
        self.data_dir = get_coco(split, split, "2017", "panoptic") if data_dir == "auto" else os.fspath(data_dir)
        self.img_root = os.path.join(self.data_dir, "images", f"{split}2017")
        self.label_root = os.path.join(self.data_dir, "annotations", f"panoptic_{split}2017")
        file = f"{self.label_root}.json"
        require_file(name, file)
        with reading(file, "a file of panoptic annotations of COCO"):
            with open(file, encoding="utf-8") as opened:
                content = json.load(opened)
            self.annos: list[dict[str, Any]] = content["annotations"]
            self.cat_ids: list[int] = [category["id"] for category in content["categories"]]
            names = [os.path.splitext(found["file_name"])[0] for found in self.annos]
        self.img_paths = [os.path.join(self.img_root, f"{name}.jpg") for name in names]
        self.add_getter("img", self._image)
        self.add_getter("label", self._label)

    def __len__(self) -> int:
        return len(self.img_paths)

    def _image(self, i: int) -> Any:
        return read_image(self.img_paths[i], color=True)

    def _label(self, i: int) -> Any:
        found = self.annos[i]
        red, green, blue = read_image(os.path.join(self.label_root, found["file_name"]), dtype=np.int32, color=True)
        segment = red + 256 * green + 65536 * blue
        label = np.full(segment.shape, -1, np.int32)
        for one in found["segments_info"]:
            label[segment == one["id"]] = self.cat_ids.index(one["category_id"])
        return label
