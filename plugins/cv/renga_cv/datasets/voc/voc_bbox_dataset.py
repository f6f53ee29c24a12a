"""PASCAL VOC with boxes."""

from __future__ import annotations

import os
from typing import Any
from xml.etree import ElementTree

import numpy as np

from renga_cv.datasets.folders import check_choice, read_lines
from renga_cv.datasets.voc.labels import voc_bbox_label_names
from renga_cv.datasets.voc.voc_utils import get_voc
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image
from renga_data.datasets.file_errors import reading

__all__ = ["VOCBboxDataset"]


class VOCBboxDataset(GetterDataset):
    """Photographs of PASCAL VOC, and boxes around objects of 20 classes.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``bbox``, float32 ``(R, 4)``; ``label``, int32 ``(R,)``;
    and ``difficult``, bool ``(R,)``, on request. Names of classes: `voc_bbox_label_names`.

    Args:
        data_dir: The folder ``VOC2007`` or ``VOC2012`` of the development kit; ``"auto"``: in the cache, downloaded if
            missing.
        split: ``"train"``, ``"val"``, ``"trainval"``, and ``"test"`` for 2007.
        year: ``"2007"`` or ``"2012"``.
        use_difficult: Also include objects marked as difficult.
        return_difficult: Examples have the element ``difficult``.

    Raises:
        ValueError: The year or split is unknown.
        FileNotFoundError: `data_dir` does not contain the list of the split; from indexing, a file is missing.
        FileDamaged: From indexing: a file is damaged.
        DownloadError: The download failed.

    Source: M. Everingham et al., *The PASCAL Visual Object Classes (VOC) Challenge*, 2010.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] = "auto",
        split: str = "train",
        year: str = "2012",
        use_difficult: bool = False,
        return_difficult: bool = False,
    ) -> None:
        super().__init__()
        check_choice("VOCBboxDataset", "year", year, ("2007", "2012"))
        splits = ("train", "val", "trainval", "test")[: 4 if year == "2007" else 3]
        check_choice(f"VOCBboxDataset of {year}", "split", split, splits)
        self.data_dir = get_voc(year, split) if data_dir == "auto" else os.fspath(data_dir)
        self.ids = read_lines("VOCBboxDataset", os.path.join(self.data_dir, "ImageSets", "Main", f"{split}.txt"))
        self.use_difficult = use_difficult
        self.add_getter("img", self._image)
        self.add_getter(("bbox", "label", "difficult"), self._objects)
        self.keys = ("img", "bbox", "label", "difficult") if return_difficult else ("img", "bbox", "label")

    def __len__(self) -> int:
        return len(self.ids)

    def _image(self, i: int) -> Any:
        return read_image(os.path.join(self.data_dir, "JPEGImages", f"{self.ids[i]}.jpg"), color=True)

    def _objects(self, i: int) -> tuple[Any, Any, Any]:
        path = os.path.join(self.data_dir, "Annotations", f"{self.ids[i]}.xml")
        with reading(path, "an annotation of PASCAL VOC"):
            objects = [_parsed(found) for found in ElementTree.parse(path).iterfind("object")]
        if not self.use_difficult:
            objects = [each for each in objects if not each[2]]
        boxes, labels, difficult = zip(*objects, strict=True) if objects else ((), (), ())
        # The first pixel is 1 in the files.
        bbox = np.array(boxes, np.float32).reshape(-1, 4) - np.float32(1)
        return bbox, np.array(labels, np.int32), np.array(difficult, bool)


def _parsed(found: ElementTree.Element) -> tuple[list[float], int, bool]:
    """Return box, class and difficulty of an object. AttributeError or ValueError means a damaged file."""

    def text(path: str) -> str:
        return found.find(path).text  # type: ignore[union-attr, return-value]  # if it is not there, that is the error

    box = [float(text(f"bndbox/{side}")) for side in ("ymin", "xmin", "ymax", "xmax")]
    name = text("name").strip().lower()
    if name not in voc_bbox_label_names:
        raise ValueError(f"an object of class {name!r}, which VOC does not have")
    difficult = found.find("difficult")  # always present in VOC 2007 and 2012; other tools may leave it out
    return box, voc_bbox_label_names.index(name), difficult is not None and (difficult.text or "").strip() == "1"
