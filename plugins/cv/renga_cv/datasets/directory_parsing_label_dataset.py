"""Pictures in folders, a folder for each class."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from renga_cv.datasets.folders import folders_in, require_folder
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image

__all__ = ["DirectoryParsingLabelDataset", "directory_parsing_label_names"]

Path = str | os.PathLike[str]

_ENDINGS = (".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")


def directory_parsing_label_names(root: Path, numerical_sort: bool = False) -> list[str]:
    """Return the class names of a `DirectoryParsingLabelDataset`: its folder names, sorted.

    Args:
        root: The folder that contains the class folders.
        numerical_sort: Sort folder names as numbers.

    Raises:
        FileNotFoundError: `root` is missing.
        ValueError: A folder name is not a number.
    """
    require_folder("directory_parsing_label_names", root)
    names = folders_in(root)
    if not numerical_sort:
        return names
    if any(not name.isdecimal() for name in names):
        other = next(name for name in names if not name.isdecimal())
        raise ValueError(f"numerical_sort needs folder names that are numbers; {root} contains {other!r}")
    return sorted(names, key=int)


class DirectoryParsingLabelDataset(GetterDataset):
    """Pictures in folders, one folder for each class. Subfolders are searched, too.

    An example has the elements ``img``, float32 ``(3, H, W)``, or ``(1, H, W)`` if not in colour; ``label``, int32
    without axes: the index of the folder in `directory_parsing_label_names`. The pictures of a class are sorted by
    path.

    Args:
        root: The folder that contains the class folders.
        check_img_file: A function of a path that tells whether the file is a picture. None: decide by the suffix.
        color: Read pictures in colour.
        numerical_sort: Sort folder names as numbers.

    Raises:
        FileNotFoundError: `root` is missing.
        ValueError: See `directory_parsing_label_names`.
    """

    def __init__(
        self,
        root: Path,
        check_img_file: Callable[[str], bool] | None = None,
        color: bool = True,
        numerical_sort: bool = False,
    ) -> None:
        super().__init__()
        self.color = color
        is_picture = _by_ending if check_img_file is None else check_img_file
        self.img_paths: list[str] = []
        labels: list[int] = []
        for label, name in enumerate(directory_parsing_label_names(root, numerical_sort)):
            walk = os.walk(os.path.join(root, name), followlinks=True)
            files = sorted(os.path.join(folder, file) for folder, _, names in walk for file in names)
            pictures = [path for path in files if is_picture(path)]
            self.img_paths += pictures
            labels += [label] * len(pictures)
        self.labels = np.array(labels, np.int32)
        self.add_getter("img", self._image)
        self.add_getter("label", self._label)

    def __len__(self) -> int:
        return len(self.img_paths)

    def _image(self, i: int) -> Any:
        return read_image(self.img_paths[i], color=self.color)

    def _label(self, i: int) -> Any:
        return self.labels[i]


def _by_ending(path: str) -> bool:
    return path.lower().endswith(_ENDINGS)
