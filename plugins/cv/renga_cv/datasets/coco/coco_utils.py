"""Locate COCO."""

from __future__ import annotations

from pathlib import Path

from renga_cv.datasets.folders import check_choice, unpack_once, unpacked

__all__ = ["SPLITS", "get_coco", "images_of"]

SPLITS = {"2014": ("train", "val", "minival", "valminusminival"), "2017": ("train", "val")}

_URL = "http://images.cocodataset.org"
_MINIVAL = "https://dl.dropboxusercontent.com/s"

_ANNOTATIONS = {
    ("instances", "2014", "train"): f"{_URL}/annotations/annotations_trainval2014.zip",
    ("instances", "2014", "val"): f"{_URL}/annotations/annotations_trainval2014.zip",
    ("instances", "2014", "minival"): f"{_MINIVAL}/o43o90bna78omob/instances_minival2014.json.zip?dl=1",
    ("instances", "2014", "valminusminival"): f"{_MINIVAL}/s3tw5zcg7395368/instances_valminusminival2014.json.zip?dl=1",
    ("instances", "2017", "train"): f"{_URL}/annotations/annotations_trainval2017.zip",
    ("instances", "2017", "val"): f"{_URL}/annotations/annotations_trainval2017.zip",
    ("panoptic", "2017", "train"): f"{_URL}/annotations/panoptic_annotations_trainval2017.zip",
    ("panoptic", "2017", "val"): f"{_URL}/annotations/panoptic_annotations_trainval2017.zip",
}


def images_of(split: str) -> str:
    """Return the folder of a split's pictures: ``"train"`` or ``"val"``; ``minival`` is part of ``"val"``."""
    return "train" if split == "train" else "val"


def get_coco(split: str, img_split: str, year: str, mode: str) -> str:
    """Return the folder of COCO. Pictures and annotations of a split are downloaded if missing.

    Args:
        split: One of `SPLITS` of the year.
        img_split: The folder of the pictures: ``"train"`` or ``"val"``.
        year: ``"2014"`` or ``"2017"``.
        mode: ``"instances"``, or for 2017 ``"panoptic"``.

    Raises:
        ValueError: The split is unknown.
        DownloadError: The download failed.
    """
    check_choice("COCO", "year", year, tuple(SPLITS))
    check_choice(f"COCO {year}", "split", split, SPLITS[year])
    check_choice(f"COCO {year}", "mode", mode, sorted({kind for kind, of, _ in _ANNOTATIONS if of == year}))
    unpacked("coco", f"{_URL}/zips/{img_split}{year}.zip", f"images/{img_split}{year}", folder="images")
    # The archives of the smaller parts of 2014 contain one file and no folder.
    folder = "annotations" if "minival" in split else ""
    root = unpacked("coco", _ANNOTATIONS[mode, year, split], f"annotations/{mode}_{split}{year}.json", folder=folder)
    if mode == "panoptic":
        labels = f"annotations/panoptic_{split}{year}"
        unpack_once(f"panoptic_{split}{year}.zip", lambda: f"{root}/{labels}.zip", Path(root), labels, "annotations")
    return root
