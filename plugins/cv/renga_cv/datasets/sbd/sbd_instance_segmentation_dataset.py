"""SBD with a mask for each object."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from renga_cv.datasets.folders import check_choice, read_lines
from renga_cv.datasets.sbd.sbd_utils import SPLITS, get_sbd
from renga_cv.datasets.voc.voc_utils import image_wise_to_instance_wise
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image
from renga_data.datasets.file_errors import reading
from renga_serializers.optional import require

__all__ = ["SBDInstanceSegmentationDataset"]


class SBDInstanceSegmentationDataset(GetterDataset):
    """Photographs of the Semantic Boundaries Dataset, and masks of objects of 20 classes. Needs SciPy.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``mask``, bool ``(R, H, W)``; ``label``, int32 ``(R,)``.
    Names of classes: `sbd_instance_segmentation_label_names`.

    Args:
        data_dir: The folder that contains ``img``, ``cls`` and ``inst``, and a list ``{split}_voc2012.txt``;
            ``"auto"``: in the cache, downloaded if missing.
        split: ``"train"``, ``"val"`` or ``"trainval"``; see `sbd_utils.get_sbd`.

    Raises:
        RengaError: SciPy is not installed.
        ValueError: The split is unknown.
        FileNotFoundError: `data_dir` does not contain the list of the split; from indexing, a file is missing.
        FileDamaged: From indexing: a file is damaged.
        DownloadError: The download failed.

    Source: B. Hariharan et al., *Semantic Contours from Inverse Detectors*, 2011.
    """

    def __init__(self, data_dir: str | os.PathLike[str] = "auto", split: str = "train") -> None:
        super().__init__()
        require("scipy", "SBDInstanceSegmentationDataset", "scipy")
        check_choice("SBDInstanceSegmentationDataset", "split", split, SPLITS)
        self.data_dir = get_sbd(split) if data_dir == "auto" else os.fspath(data_dir)
        self.ids = read_lines("SBDInstanceSegmentationDataset", os.path.join(self.data_dir, f"{split}_voc2012.txt"))
        self.add_getter("img", self._image)
        self.add_getter(("mask", "label"), self._objects)

    def __len__(self) -> int:
        return len(self.ids)

    def _image(self, i: int) -> Any:
        return read_image(os.path.join(self.data_dir, "img", f"{self.ids[i]}.jpg"), color=True)

    def _objects(self, i: int) -> tuple[Any, Any]:
        return image_wise_to_instance_wise(self._segments("cls", "GTcls", i), self._segments("inst", "GTinst", i))

    def _segments(self, folder: str, variable: str, i: int) -> Any:
        from scipy.io import loadmat

        path = os.path.join(self.data_dir, folder, f"{self.ids[i]}.mat")
        with reading(path, "a file of SBD"):
            segments = loadmat(path, variable_names=[variable])[variable]["Segmentation"].item().astype(np.int32)
        segments[segments == 255] = -1
        return segments
