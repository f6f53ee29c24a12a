"""Images in files. Reading them needs Pillow: ``pip install 'renga[cv]'``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from renga_core.configuration import get_dtype
from renga_core.dataset import DatasetMixin
from renga_data.datasets.file_errors import check_growth, reading
from renga_serializers.optional import require

__all__ = ["ImageDataset", "LabeledImageDataset", "as_label", "read_image", "read_lines", "read_pairs"]

Path = str | os.PathLike[str]

_SMALL = 1 << 27
"""Bytes in memory that are allowed for an image file of any size: a color image of 44 million pixels."""


class ImageDataset(DatasetMixin):
    """Image files, each read when it is requested, as an array of shape (channels, height, width).

    Pixels have the values in the file, usually 0 to 255. A gray image has one channel; an image with a palette returns
    palette indexes. Needs Pillow (``pip install 'renga[cv]'``).

    Args:
        paths: A list of files, or a text file with one file name per line.
        root: The folder to which they are relative.
        dtype: Dtype of the arrays. Default: ``config.dtype``.

    Raises:
        RengaError: Pillow is not installed.
        FileRefused: From indexing: a file is not an image, is damaged, or needs far more memory than its size.
        OSError: A file does not exist.
    """

    def __init__(self, paths: Path | Sequence[Path], root: Path = ".", dtype: Any = None) -> None:
        require_pillow(type(self).__name__)
        if isinstance(paths, (str, os.PathLike)):
            paths = [line.strip() for line in read_lines(paths) if line.strip()]
        self._paths = paths
        self._root = root
        self._dtype = get_dtype(dtype)

    def __len__(self) -> int:
        return len(self._paths)

    def get_example(self, i: int) -> np.ndarray[Any, Any]:
        """Return image `i`."""
        return read_image(os.path.join(self._root, self._paths[i]), self._dtype)


class LabeledImageDataset(DatasetMixin):
    """Pairs of an image, as in `ImageDataset`, and a label.

    Args:
        pairs: A list of pairs (file, integer), or a text file, each line of which has a file name and an integer,
            separated by white space.
        root: The folder that the images are relative to.
        dtype: Dtype of the images. Default: ``config.dtype``.
        label_dtype: Dtype of the labels, which are 0-d arrays.

    Raises:
        ValueError: A line does not have this form.
        RengaError, OSError: See `ImageDataset`.
    """

    def __init__(
        self,
        pairs: Path | Sequence[tuple[Path, int]],
        root: Path = ".",
        dtype: Any = None,
        label_dtype: Any = np.int32,
    ) -> None:
        require_pillow(type(self).__name__)
        self._pairs = read_pairs(pairs) if isinstance(pairs, (str, os.PathLike)) else pairs
        self._root = root
        self._dtype = get_dtype(dtype)
        self._label_dtype = label_dtype

    def __len__(self) -> int:
        return len(self._pairs)

    def get_example(self, i: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return image `i` and its label."""
        path, label = self._pairs[i]
        name = os.path.join(self._root, path)
        return read_image(name, self._dtype), as_label(label, self._label_dtype, name)


def require_pillow(asker: str) -> None:
    """Raise `RengaError` if Pillow is not installed."""
    require("PIL", asker, "cv")


def read_image(file: Path | IO[bytes], dtype: Any, name: str = "", size: int | None = None) -> np.ndarray[Any, Any]:
    """Read an image file as an array of shape (channels, height, width).

    Args:
        file: A path, or an open file.
        dtype: Dtype of the array.
        name: Name of an open file, for messages.
        size: Size of an open file in bytes.

    Raises:
        FileRefused: The file is not an image, is damaged, or needs far more memory than its size.
        OSError: The file does not exist.
    """
    from PIL import Image

    name = name or os.fspath(file)  # type: ignore[arg-type]  # a path, then
    if size is None:
        size = os.stat(name).st_size
    with reading(name, "an image"), Image.open(file) as image:
        check_growth(name, image.width * image.height * _bytes_of_a_pixel(image), size, free=_SMALL)
        image.load()
        pixels = np.asarray(image, dtype)
        return pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)


def as_label(label: int, dtype: Any, name: str) -> np.ndarray[Any, Any]:
    """Return a label as a 0-d array. Raises ValueError, with the name of its image, if it does not fit the dtype."""
    try:
        return np.array(label, dtype)
    except OverflowError:
        raise ValueError(f"the label of {name}, {label}, does not fit {np.dtype(dtype)}") from None


def _bytes_of_a_pixel(image: Any) -> int:
    return len(image.getbands()) * (4 if image.mode in ("I", "F") else 1)


def read_lines(path: Path) -> list[str]:
    """The lines of a text file. Raises `FileDamaged` if it is not UTF-8."""
    with reading(os.fspath(path), "a text file in UTF-8"), open(path, encoding="utf-8") as lines:
        return lines.readlines()


def read_pairs(path: Path) -> list[tuple[str, int]]:
    """Read a text file of names and integers.

    Raises:
        ValueError: A line does not have this form.
    """
    pairs = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            name, label = line.rsplit(maxsplit=1)
            pairs.append((name.strip(), int(label)))
        except ValueError:
            raise ValueError(
                f"{os.fspath(path)}, line {number}: expected a file name and an integer, not {line.rstrip()!r}"
            ) from None
    return pairs
