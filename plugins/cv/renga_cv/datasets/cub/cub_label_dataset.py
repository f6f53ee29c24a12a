"""CUB-200-2011 with the species of each bird."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from renga_cv.datasets.cub.cub_utils import CUBDatasetBase, numbers

__all__ = ["CUBLabelDataset"]


class CUBLabelDataset(CUBDatasetBase):
    """Photographs of birds of 200 species (Caltech-UCSD Birds-200-2011).

    An example has the elements ``img``, float32 ``(3, H, W)``; ``label``, int32 without axes; and on request ``bbox``,
    float32 ``(1, 4)``, and ``prob_map``, float32 ``(H, W)`` from 0 to 1: the fraction of annotators who marked the
    pixel as bird. Names of classes: `cub_label_names`.

    Args:
        data_dir: The folder ``CUB_200_2011``; ``"auto"``: in the cache, downloaded if missing.
        return_bbox: Examples have the element ``bbox``.
        prob_map_dir: The folder ``segmentations``; ``"auto"``: in the cache, downloaded if missing and requested.
        return_prob_map: Examples have the element ``prob_map``.

    Raises:
        FileNotFoundError: `data_dir` does not contain the lists.
        FileDamaged: A list is damaged.
        DownloadError: The download failed.

    Source: C. Wah et al., *The Caltech-UCSD Birds-200-2011 Dataset*, 2011.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] = "auto",
        return_bbox: bool = False,
        prob_map_dir: str | os.PathLike[str] = "auto",
        return_prob_map: bool = False,
    ) -> None:
        super().__init__(data_dir, return_bbox, prob_map_dir, return_prob_map)
        labels = numbers(os.path.join(self.data_dir, "image_class_labels.txt"), 2)[:, 1]
        self._labels = labels.astype(np.int32) - 1
        self.add_getter("label", self._label)
        self.keys = ("img", "label", *self._more)

    def _label(self, i: int) -> Any:
        return self._labels[i]
