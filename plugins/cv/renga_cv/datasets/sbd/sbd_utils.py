"""Locate SBD."""

from __future__ import annotations

import os

from renga_cv.datasets.folders import check_choice, read_lines, unpacked
from renga_data.datasets.cached import cached_download
from renga_serializers.atomic import atomic_write

__all__ = ["SPLITS", "get_sbd"]

SPLITS = ("train", "val", "trainval")

_URL = "http://www.eecs.berkeley.edu/Research/Projects/CS/vision/grouping/semantic_contours/benchmark.tgz"
_TRAIN_URL = "https://www.cs.cornell.edu/~bharathh/train_noval.txt"


def get_sbd(split: str) -> str:
    """Return the folder of SBD, ``benchmark_RELEASE/dataset``, downloaded if missing.

    Besides SBD's own lists there are lists for use with VOC 2012: ``train_voc2012.txt`` has no pictures of VOC's
    validation set, ``val_voc2012.txt`` has the rest, ``trainval_voc2012.txt`` all pictures.

    Raises:
        ValueError: The split is unknown.
        DownloadError: The download failed.
    """
    check_choice("SBD", "split", split, SPLITS)
    base = os.path.join(unpacked("sbd", _URL, "benchmark_RELEASE/dataset/val.txt"), "benchmark_RELEASE", "dataset")
    if not os.path.exists(os.path.join(base, f"{split}_voc2012.txt")):
        train = read_lines("SBD", cached_download(_TRAIN_URL))
        every = sorted({name for part in ("train", "val") for name in read_lines("SBD", f"{base}/{part}.txt")})
        lists = {"train": train, "val": sorted({*every} - {*train}), "trainval": every}
        for name, ids in lists.items():
            with atomic_write(os.path.join(base, f"{name}_voc2012.txt")) as file:
                file.write("".join(f"{one}\n" for one in ids).encode())
    return base
