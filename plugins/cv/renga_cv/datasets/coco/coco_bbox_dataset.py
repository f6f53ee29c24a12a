"""COCO with boxes."""

from __future__ import annotations

import os

from renga_cv.datasets.coco.coco_instances_base_dataset import COCOInstancesBaseDataset

__all__ = ["COCOBboxDataset"]


class COCOBboxDataset(COCOInstancesBaseDataset):
    """Photographs of COCO, and boxes around objects of 80 classes.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``bbox``, float32 ``(R, 4)``; ``label``, int32 ``(R,)``;
    and on request ``area``, float32 ``(R,)``: pixels of the object, not of its box; ``crowded``, bool ``(R,)``. Names
    of classes: `coco_bbox_label_names`. Boxes without area are left out.

    Args:
        data_dir: The folder that contains ``images/{train,val}{year}`` and
            ``annotations/instances_{split}{year}.json``; ``"auto"``: in the cache, downloaded if missing.
        split: ``"train"`` or ``"val"``; for 2014 also ``"minival"`` and ``"valminusminival"``, parts of ``"val"``.
        year: ``"2014"`` or ``"2017"``.
        use_crowded: Also include boxes of crowds.
        return_area: Examples have the element ``area``.
        return_crowded: Examples have the element ``crowded``.

    Raises:
        ValueError: The year or split is unknown.
        FileNotFoundError: `data_dir` does not contain the annotations; from indexing, a picture is missing.
        FileDamaged: The annotations are damaged.
        DownloadError: The download failed.

    Source: T.-Y. Lin et al., *Microsoft COCO: Common Objects in Context*, 2014.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] = "auto",
        split: str = "train",
        year: str = "2017",
        use_crowded: bool = False,
        return_area: bool = False,
        return_crowded: bool = False,
    ) -> None:
        super().__init__(data_dir, split, year, use_crowded)
        self.keys = ("img", "bbox", "label", *("area",) * return_area, *("crowded",) * return_crowded)
