"""COCO with a mask for each object."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from renga_cv.datasets.coco.coco_instances_base_dataset import COCOInstancesBaseDataset
from renga_cv.datasets.coco.masks import decoded
from renga_serializers.optional import require

__all__ = ["COCOInstanceSegmentationDataset"]


class COCOInstanceSegmentationDataset(COCOInstancesBaseDataset):
    """Photographs of COCO, and masks of objects of 80 classes. Needs pycocotools.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``mask``, bool ``(R, H, W)``; ``label``, int32 ``(R,)``;
    and on request ``area``, float32 ``(R,)``; ``crowded``, bool ``(R,)``; ``bbox``, float32 ``(R, 4)``. Names of
    classes: `coco_instance_segmentation_label_names`. Objects whose box has no area are left out.

    Args:
        data_dir, split, year, use_crowded, return_crowded, return_area: See `COCOBboxDataset`.
        return_bbox: Examples have the element ``bbox``.

    Raises:
        RengaError: pycocotools is not installed.
        ValueError, FileNotFoundError, FileDamaged, DownloadError: See `COCOBboxDataset`.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] = "auto",
        split: str = "train",
        year: str = "2017",
        use_crowded: bool = False,
        return_crowded: bool = False,
        return_area: bool = False,
        return_bbox: bool = False,
    ) -> None:
        require("pycocotools", "COCOInstanceSegmentationDataset", "coco")
        super().__init__(data_dir, split, year, use_crowded)
        self.add_getter("mask", self._masks)
        more = ("area",) * return_area + ("crowded",) * return_crowded + ("bbox",) * return_bbox
        self.keys = ("img", "mask", "label", *more)

    def _masks(self, i: int) -> Any:
        prop = self.id_to_prop[self.ids[i]]
        shape = (prop["height"], prop["width"])
        masks = [decoded(one["segmentation"], *shape) for one in self._objects(i)]
        return np.array(masks, bool).reshape(-1, *shape)
