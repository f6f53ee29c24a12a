"""Shared code of the data sets of CUB-200-2011."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from renga_cv.datasets.folders import read_lines, unpacked
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image
from renga_data.datasets.file_errors import reading

__all__ = ["CUBDatasetBase", "get_cub", "get_cub_prob_map", "numbers"]

_URL = "https://data.caltech.edu/records/65de6-vp158/files/CUB_200_2011.tgz"
_PROB_MAP_URL = "https://data.caltech.edu/records/w9d68-gec53/files/segmentations.tgz"


def get_cub() -> str:
    """Return the folder ``CUB_200_2011``, downloaded if missing. Raises `DownloadError` if that fails."""
    return os.path.join(unpacked("cub", _URL, "CUB_200_2011"), "CUB_200_2011")


def get_cub_prob_map() -> str:
    """Return the folder ``segmentations``, downloaded if missing. Raises `DownloadError` if that fails."""
    return os.path.join(unpacked("cub", _PROB_MAP_URL, "segmentations"), "segmentations")


def numbers(path: str, columns: int) -> Any:
    """Read a text file with `columns` columns of numbers, as float32.

    Raises:
        FileNotFoundError: The file is missing.
        FileDamaged: The file has another structure.
    """
    lines = read_lines("CUB-200-2011", path)
    with reading(path, f"a table of {columns} columns of numbers"):
        return np.array([line.split() for line in lines], np.float32).reshape(len(lines), columns)


class CUBDatasetBase(GetterDataset):
    """Photographs of birds, with the elements ``img``, ``bbox`` and ``prob_map``; see `CUBLabelDataset`."""

    def __init__(
        self,
        data_dir: str | os.PathLike[str] = "auto",
        return_bbox: bool = False,
        prob_map_dir: str | os.PathLike[str] = "auto",
        return_prob_map: bool = False,
    ) -> None:
        super().__init__()
        self.data_dir = get_cub() if data_dir == "auto" else os.fspath(data_dir)
        file = os.path.join(self.data_dir, "images.txt")
        with reading(file, "a list of numbers and names"):
            self.paths = [line.split()[1] for line in read_lines("CUB-200-2011", file)]
        # Number of the picture, x, y, width, height.
        boxes = numbers(os.path.join(self.data_dir, "bounding_boxes.txt"), 5)
        x, y, width, height = boxes[:, 1:].T
        self.bbs = np.stack([y, x, y + height, x + width], axis=1)
        self.prob_map_dir = os.fspath(prob_map_dir)
        self.prob_map_paths: list[str] = []
        if return_prob_map:
            if prob_map_dir == "auto":
                self.prob_map_dir = get_cub_prob_map()
            self.prob_map_paths = [f"{os.path.splitext(path)[0]}.png" for path in self.paths]
        self.add_getter("img", self._image)
        self.add_getter("bbox", self._bbox)
        self.add_getter("prob_map", self._prob_map)
        self._more = ("bbox",) * return_bbox + ("prob_map",) * return_prob_map

    def __len__(self) -> int:
        return len(self.paths)

    def _image(self, i: int) -> Any:
        return read_image(os.path.join(self.data_dir, "images", self.paths[i]), color=True)

    def _bbox(self, i: int) -> Any:
        return self.bbs[i : i + 1]

    def _prob_map(self, i: int) -> Any:
        path = os.path.join(self.prob_map_dir, self.prob_map_paths[i])
        return read_image(path, dtype=np.float32, color=False)[0] / np.float32(255)
