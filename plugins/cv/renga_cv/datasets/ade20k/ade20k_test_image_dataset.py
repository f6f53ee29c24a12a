"""ADE20K's test set, which has no labels."""

from __future__ import annotations

import os
from typing import Any

from renga_cv.datasets.ade20k.ade20k_utils import get_ade20k
from renga_cv.datasets.folders import files_in
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image

__all__ = ["ADE20KTestImageDataset"]


class ADE20KTestImageDataset(GetterDataset):
    """The photographs of ADE20K's test set. An example is a picture, float32 ``(3, H, W)``.

    Args:
        data_dir: The folder ``release_test``; ``"auto"``: in the cache, downloaded if missing.

    Raises:
        FileNotFoundError: `data_dir` does not contain the folder ``testing``.
        DownloadError: The download failed.
    """

    def __init__(self, data_dir: str | os.PathLike[str] = "auto") -> None:
        super().__init__()
        root = get_ade20k("release_test") if data_dir == "auto" else os.fspath(data_dir)
        self.img_paths = files_in("ADE20KTestImageDataset", os.path.join(root, "testing"), ".jpg")
        self.add_getter("img", self._image)
        self.keys = "img"

    def __len__(self) -> int:
        return len(self.img_paths)

    def _image(self, i: int) -> Any:
        return read_image(self.img_paths[i], color=True)
