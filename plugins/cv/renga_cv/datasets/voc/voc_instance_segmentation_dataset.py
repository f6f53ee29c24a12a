"""PASCAL VOC with a mask for each object."""

from __future__ import annotations

import os
from typing import Any

from renga_cv.datasets.folders import check_choice, read_lines
from renga_cv.datasets.voc.voc_semantic_segmentation_dataset import read_voc_label
from renga_cv.datasets.voc.voc_utils import get_voc, image_wise_to_instance_wise
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image

__all__ = ["VOCInstanceSegmentationDataset"]


class VOCInstanceSegmentationDataset(GetterDataset):
    """Photographs of PASCAL VOC 2012, and masks of objects of 20 classes.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``mask``, bool ``(R, H, W)``; ``label``, int32 ``(R,)``.
    Names of classes: `voc_instance_segmentation_label_names`.

    Args:
        data_dir: The folder ``VOC2012`` of the development kit; ``"auto"``: in the cache, downloaded if missing.
        split: ``"train"``, ``"val"`` or ``"trainval"``.

    Raises:
        ValueError: The split is unknown.
        FileNotFoundError: `data_dir` does not contain the list of the split; from indexing, a file is missing.
        DownloadError: The download failed.
    """

    def __init__(self, data_dir: str | os.PathLike[str] = "auto", split: str = "train") -> None:
        super().__init__()
        check_choice("VOCInstanceSegmentationDataset", "split", split, ("train", "val", "trainval"))
        self.data_dir = get_voc("2012", split) if data_dir == "auto" else os.fspath(data_dir)
        lists = os.path.join(self.data_dir, "ImageSets", "Segmentation")
        self.ids = read_lines("VOCInstanceSegmentationDataset", os.path.join(lists, f"{split}.txt"))
        self.add_getter("img", self._image)
        self.add_getter(("mask", "label"), self._objects)

    def __len__(self) -> int:
        return len(self.ids)

    def _image(self, i: int) -> Any:
        return read_image(os.path.join(self.data_dir, "JPEGImages", f"{self.ids[i]}.jpg"), color=True)

    def _objects(self, i: int) -> tuple[Any, Any]:
        label, instance = (
            read_voc_label(os.path.join(self.data_dir, folder, f"{self.ids[i]}.png"))
            for folder in ("SegmentationClass", "SegmentationObject")
        )
        return image_wise_to_instance_wise(label, instance)
