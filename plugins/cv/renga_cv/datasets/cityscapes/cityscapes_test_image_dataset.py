"""Cityscapes' test set, which has no labels."""

from __future__ import annotations

import os
from typing import Any

from renga_cv.datasets.cityscapes.cityscapes_utils import ADVICE, get_cityscapes
from renga_cv.datasets.folders import files_in, folders_in, require_folder
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image

__all__ = ["CityscapesTestImageDataset"]


class CityscapesTestImageDataset(GetterDataset):
    """The pictures of Cityscapes' test set. An example is a picture, float32 ``(3, H, W)``.

    Args:
        data_dir: The folder that contains ``leftImg8bit``; ``"auto"``: ``pfnet/chainercv/cityscapes`` of
            ``dataset.root``. It cannot be downloaded without an account.

    Raises:
        FileNotFoundError: The folder ``leftImg8bit/test`` is missing.
    """

    def __init__(self, data_dir: str | os.PathLike[str] = "auto") -> None:
        super().__init__()
        name = "CityscapesTestImageDataset"
        root = get_cityscapes() if data_dir == "auto" else os.fspath(data_dir)
        folder = os.path.join(root, "leftImg8bit", "test")
        require_folder(name, folder, ADVICE)
        cities = [os.path.join(folder, city) for city in folders_in(folder)]
        self.img_paths = [path for city in cities for path in files_in(name, city, "_leftImg8bit.png")]
        self.add_getter("img", self._image)
        self.keys = "img"

    def __len__(self) -> int:
        return len(self.img_paths)

    def _image(self, i: int) -> Any:
        return read_image(self.img_paths[i], color=True)
