"""PASCAL VOC with a class for each pixel."""

from __future__ import annotations

import os
from typing import Any

from renga_cv.datasets.folders import check_choice, read_lines
from renga_cv.datasets.voc.voc_utils import get_voc
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image, read_label

__all__ = ["VOCSemanticSegmentationDataset", "read_voc_label"]

_BORDER = 255


class VOCSemanticSegmentationDataset(GetterDataset):
    """Photographs of PASCAL VOC 2012, each pixel of which has one of 21 classes; the first is the background.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``label``, int32 ``(H, W)``, -1 at the edges of objects.
    Names of classes: `voc_semantic_segmentation_label_names`.

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
        check_choice("VOCSemanticSegmentationDataset", "split", split, ("train", "val", "trainval"))
        self.data_dir = get_voc("2012", split) if data_dir == "auto" else os.fspath(data_dir)
        lists = os.path.join(self.data_dir, "ImageSets", "Segmentation")
        self.ids = read_lines("VOCSemanticSegmentationDataset", os.path.join(lists, f"{split}.txt"))
        self.add_getter("img", self._image)
        self.add_getter("label", self._label)

    def __len__(self) -> int:
        return len(self.ids)

    def _image(self, i: int) -> Any:
        return read_image(os.path.join(self.data_dir, "JPEGImages", f"{self.ids[i]}.jpg"), color=True)

    def _label(self, i: int) -> Any:
        return read_voc_label(os.path.join(self.data_dir, "SegmentationClass", f"{self.ids[i]}.png"))


def read_voc_label(path: str) -> Any:
    """Read a picture of class numbers as int32 ``(H, W)``, with -1 at the edges of objects."""
    label = read_label(path)
    label[label == _BORDER] = -1
    return label
