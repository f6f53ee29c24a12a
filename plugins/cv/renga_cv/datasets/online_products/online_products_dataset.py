"""Stanford Online Products."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from renga_cv.datasets.folders import check_choice, read_lines, unpacked
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image
from renga_data.datasets.file_errors import reading

__all__ = ["OnlineProductsDataset", "online_products_super_label_names"]

_URL = "ftp://cs.stanford.edu/cs/cvgl/Stanford_Online_Products.zip"
_FOLDER = "Stanford_Online_Products"

# fmt: off
online_products_super_label_names: tuple[str, ...] = (
    "bicycle", "cabinet", "chair", "coffee_maker", "fan", "kettle", "lamp", "mug", "sofa", "stapler", "table",
    "toaster",
)
# fmt: on
"""The name of each kind of product."""


class OnlineProductsDataset(GetterDataset):
    """Photographs of products for sale: 22634 products of 12 kinds. The splits share no product.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``label``, int32 without axes, the product;
    ``super_label``, int32 without axes, its kind. Names of kinds: `online_products_super_label_names`.

    Args:
        data_dir: The folder ``Stanford_Online_Products``; ``"auto"``: in the cache, downloaded if missing.
        split: ``"train"`` or ``"test"``.

    Raises:
        ValueError: The split is unknown.
        FileNotFoundError: `data_dir` does not contain the list of the split.
        FileDamaged: The list is damaged.
        DownloadError: The download failed.

    Source: H. O. Song et al., *Deep Metric Learning via Lifted Structured Feature Embedding*, 2016.
    """

    def __init__(self, data_dir: str | os.PathLike[str] = "auto", split: str = "train") -> None:
        super().__init__()
        check_choice("OnlineProductsDataset", "split", split, ("train", "test"))
        if data_dir == "auto":
            data_dir = os.path.join(unpacked("online_products", _URL, f"{_FOLDER}/Ebay_{split}.txt"), _FOLDER)
        self.data_dir = os.fspath(data_dir)
        file = os.path.join(self.data_dir, f"Ebay_{split}.txt")
        with reading(file, "a table of pictures, products and their kinds"):
            # The first line has the names of the columns.
            rows = [line.split() for line in read_lines("OnlineProductsDataset", file)[1:]]
            self.class_ids = np.array([row[1] for row in rows], np.int32) - 1
            self.super_class_ids = np.array([row[2] for row in rows], np.int32) - 1
            self.paths = [os.path.join(self.data_dir, row[3]) for row in rows]
        self.add_getter("img", self._image)
        self.add_getter(("label", "super_label"), self._labels)

    def __len__(self) -> int:
        return len(self.paths)

    def _image(self, i: int) -> Any:
        return read_image(self.paths[i], color=True)

    def _labels(self, i: int) -> tuple[Any, Any]:
        return self.class_ids[i], self.super_class_ids[i]
