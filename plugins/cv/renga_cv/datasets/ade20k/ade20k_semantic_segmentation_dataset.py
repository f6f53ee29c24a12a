"""ADE20K with a class for each pixel."""

from __future__ import annotations

import os
from typing import Any

from renga_cv.datasets.ade20k.ade20k_utils import get_ade20k
from renga_cv.datasets.folders import check_choice, files_in
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image, read_label

__all__ = ["ADE20KSemanticSegmentationDataset"]

_FOLDERS = {"train": "training", "val": "validation"}


class ADE20KSemanticSegmentationDataset(GetterDataset):
    """Photographs of ADE20K (MIT Scene Parsing Benchmark), each pixel of which has one of 150 classes.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``label``, int32 ``(H, W)``, -1 where there is no class.
    Names of classes: `ade20k_semantic_segmentation_label_names`.

    Args:
        data_dir: The folder ``ADEChallengeData2016``; ``"auto"``: in the cache, downloaded if missing.
        split: ``"train"`` or ``"val"``.

    Raises:
        ValueError: The split is unknown, or the numbers of pictures and labels differ.
        FileNotFoundError: `data_dir` does not contain the folders ``images`` and ``annotations`` of the split.
        DownloadError: The download failed.

    Source: B. Zhou et al., *Scene Parsing through ADE20K Dataset*, 2017.
    """

    def __init__(self, data_dir: str | os.PathLike[str] = "auto", split: str = "train") -> None:
        super().__init__()
        name = "ADE20KSemanticSegmentationDataset"
        check_choice(name, "split", split, tuple(_FOLDERS))
        root = get_ade20k("ADEChallengeData2016") if data_dir == "auto" else os.fspath(data_dir)
        self.img_paths = files_in(name, os.path.join(root, "images", _FOLDERS[split]), ".jpg")
        self.label_paths = files_in(name, os.path.join(root, "annotations", _FOLDERS[split]), ".png")
        if len(self.img_paths) != len(self.label_paths):
            raise ValueError(
                f"{name}: {len(self.img_paths)} pictures and {len(self.label_paths)} labels in {root}, split {split!r}"
            )
        self.add_getter("img", self._image)
        self.add_getter("label", self._label)

    def __len__(self) -> int:
        return len(self.img_paths)

    def _image(self, i: int) -> Any:
        return read_image(self.img_paths[i], color=True)

    def _label(self, i: int) -> Any:
        return read_label(self.label_paths[i]) - 1
