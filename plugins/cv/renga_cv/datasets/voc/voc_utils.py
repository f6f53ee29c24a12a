"""Locate PASCAL VOC, and convert its instance labels."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from renga_cv.datasets.folders import check_choice, unpacked

__all__ = ["get_voc", "image_wise_to_instance_wise"]

_URL = "http://host.robots.ox.ac.uk/pascal/VOC"

_ARCHIVES = {
    ("2007", "trainval"): f"{_URL}/voc2007/VOCtrainval_06-Nov-2007.tar",
    ("2007", "test"): f"{_URL}/voc2007/VOCtest_06-Nov-2007.tar",
    ("2012", "trainval"): f"{_URL}/voc2012/VOCtrainval_11-May-2012.tar",
}


def get_voc(year: str, split: str) -> str:
    """Return the folder of VOC of a year, ``VOCdevkit/VOC{year}``; the archive of a split is downloaded if missing.

    Args:
        year: ``"2007"`` or ``"2012"``.
        split: ``"train"``, ``"val"``, ``"trainval"``, or ``"test"`` (annotations are public for 2007 only).

    Raises:
        ValueError: The split is unknown.
        DownloadError: The download failed.
    """
    check_choice("PASCAL VOC", "year", year, ("2007", "2012"))
    splits = ("train", "val", "trainval", "test")[: 4 if year == "2007" else 3]
    check_choice(f"PASCAL VOC {year}", "split", split, splits)
    archive = _ARCHIVES[year, "test" if split == "test" else "trainval"]
    base = f"VOCdevkit/VOC{year}"
    return os.path.join(unpacked("voc", archive, f"{base}/ImageSets/Main/{split}.txt"), base)


def image_wise_to_instance_wise(label_img: Any, inst_img: Any) -> tuple[Any, Any]:
    """Return masks and classes of instances, from images of class and instance numbers.

    Args:
        label_img: The class of each pixel: integers ``(H, W)``; 0 is the background, -1 is ignored.
        inst_img: The number of the instance of each pixel, from 1.

    Returns:
        ``(mask, label)``: bool ``(R, H, W)``, int32 ``(R,)``; classes from 0, without the background.
    """
    masks, labels = [], []
    for number in np.unique(inst_img[inst_img > 0]).tolist():
        mask = inst_img == number
        classes = label_img[mask]
        classes = classes[classes > 0]
        if classes.size:  # an object may consist only of its edge
            masks.append(mask)
            labels.append(np.bincount(classes).argmax() - 1)
    shape = (len(masks), *inst_img.shape)
    return np.array(masks, bool).reshape(shape), np.array(labels, np.int32)
