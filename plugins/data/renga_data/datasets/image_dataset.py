"""Images in files. Reading them takes Pillow: ``pip install 'renga[cv]'``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from renga_core.configuration import get_dtype
from renga_core.dataset import DatasetMixin
from renga_core.optional import require

__all__ = ["ImageDataset", "LabeledImageDataset", "read_image", "read_pairs"]

Path = str | os.PathLike[str]


class ImageDataset(DatasetMixin):
    """Image files, each read when it is asked for, as an array of shape (channels, height, width).

    Pixels are the numbers in the file, from 0 to 255 as a rule. A grey image has one channel; an image with a palette
    gives the numbers of its colours. Needs Pillow (``pip install 'renga[cv]'``).

    Args:
        paths: A list of files, or a text file that has one on each line.
        root: The folder that they are relative to.
        dtype: Of the arrays. Default: ``config.dtype``.

    Raises:
        RengaError: Pillow is not installed.
        ValueError: From indexing: a file is not an image.
        OSError: A file is not there.
    """

    def __init__(self, paths: Path | Sequence[Path], root: Path = ".", dtype: Any = None) -> None:
        require_pillow(type(self).__name__)
        if isinstance(paths, (str, os.PathLike)):
            with open(paths, encoding="utf-8") as lines:
                paths = [line.strip() for line in lines if line.strip()]
        self._paths = paths
        self._root = root
        self._dtype = get_dtype(dtype)

    def __len__(self) -> int:
        return len(self._paths)

    def get_example(self, i: int) -> np.ndarray[Any, Any]:
        """Return image `i`."""
        return read_image(os.path.join(self._root, self._paths[i]), self._dtype)


class LabeledImageDataset(DatasetMixin):
    """Pairs of an image, as of `ImageDataset`, and a label.

    Args:
        pairs: A list of pairs (file, integer), or a text file each line of which has a file's name and an integer,
            with white space between them.
        root: The folder that the images are relative to.
        dtype: Of the images. Default: ``config.dtype``.
        label_dtype: Of the labels, arrays without axes.

    Raises:
        ValueError: A line has not this form.
        RengaError, OSError: As `ImageDataset`.
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
        return read_image(os.path.join(self._root, path), self._dtype), np.array(label, self._label_dtype)


def require_pillow(asker: str) -> None:
    """Raise `RengaError` if Pillow is not installed."""
    require("PIL", asker, "cv")


def read_image(file: Path | IO[bytes], dtype: Any, name: str = "") -> np.ndarray[Any, Any]:
    """Read an image file as an array of shape (channels, height, width).

    Args:
        file: A path, or an open file.
        dtype: Of the array.
        name: Of an open file, for messages.

    Raises:
        ValueError: It is not an image, or is damaged.
        OSError: It is not there.
    """
    from PIL import Image

    name = name or str(file)
    try:
        with Image.open(file) as image:
            image.load()
            pixels = np.asarray(image, dtype)
    except FileNotFoundError:
        raise
    # UnidentifiedImageError is an OSError; what damaged files make Pillow raise has no common type.
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise ValueError(f"{name} is not an image that can be read: {error}") from error
    return pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)


def read_pairs(path: Path) -> list[tuple[str, int]]:
    """Read a text file of names and integers.

    Raises:
        ValueError: A line has not this form.
    """
    pairs = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                name, label = line.rsplit(maxsplit=1)
                pairs.append((name.strip(), int(label)))
            except ValueError:
                raise ValueError(
                    f"{os.fspath(path)}, line {number}: expected a file's name and an integer, not {line.rstrip()!r}"
                ) from None
    return pairs
