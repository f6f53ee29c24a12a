"""The base class of COCO's data sets of objects."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from typing import Any

import numpy as np

from renga_cv.datasets.coco.coco_utils import SPLITS, get_coco, images_of
from renga_cv.datasets.folders import check_choice, require_file
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image
from renga_data.datasets.file_errors import reading

__all__ = ["COCOInstancesBaseDataset"]


class COCOInstancesBaseDataset(GetterDataset):
    """Photographs of COCO, with the elements ``img``, ``bbox``, ``label``, ``area`` and ``crowded``; see
    `COCOBboxDataset`.

    Objects whose box has no area are left out: both box and mask. (ChainerCV omitted only the boxes.)
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] = "auto",
        split: str = "train",
        year: str = "2017",
        use_crowded: bool = False,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        check_choice(name, "year", year, tuple(SPLITS))
        check_choice(f"{name} of {year}", "split", split, SPLITS[year])
        self.use_crowded = use_crowded
        pictures = images_of(split)
        self.data_dir = get_coco(split, pictures, year, "instances") if data_dir == "auto" else os.fspath(data_dir)
        self.img_root = os.path.join(self.data_dir, "images", f"{pictures}{year}")
        file = os.path.join(self.data_dir, "annotations", f"instances_{split}{year}.json")
        require_file(name, file)
        with reading(file, "a file of annotations of COCO"):
            with open(file, encoding="utf-8") as opened:
                content = json.load(opened)
            self.id_to_prop: dict[int, dict[str, Any]] = {image["id"]: image for image in content["images"]}
            self.ids = sorted(self.id_to_prop)
            self.cat_ids: list[int] = [category["id"] for category in content["categories"]]
            self.id_to_anno: dict[int, list[dict[str, Any]]] = defaultdict(list)
            for found in content["annotations"]:
                self.id_to_anno[found["image_id"]].append(found)
        self._label_of = {number: label for label, number in enumerate(self.cat_ids)}
        self.add_getter("img", self._image)
        self.add_getter(("bbox", "label", "area", "crowded"), self._annotations)

    def __len__(self) -> int:
        return len(self.ids)

    def _image(self, i: int) -> Any:
        return read_image(os.path.join(self.img_root, self.id_to_prop[self.ids[i]]["file_name"]), color=True)

    def _objects(self, i: int) -> list[dict[str, Any]]:
        """Return the objects of a picture that the data set includes."""
        found = self.id_to_anno.get(self.ids[i], [])
        return [
            one
            for one in found
            if one["bbox"][2] > 0 and one["bbox"][3] > 0 and (self.use_crowded or not one["iscrowd"])
        ]

    def _annotations(self, i: int) -> tuple[Any, Any, Any, Any]:
        objects = self._objects(i)
        x, y, width, height = np.array([one["bbox"] for one in objects], np.float32).reshape(-1, 4).T
        bbox = np.stack([y, x, y + height, x + width], axis=1)
        label = np.array([self._label_of[one["category_id"]] for one in objects], np.int32)
        area = np.array([one["area"] for one in objects], np.float32)
        return bbox, label, area, np.array([one["iscrowd"] for one in objects], bool)
