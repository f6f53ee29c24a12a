"""Images in zip archives: one large file instead of many small ones. Reading them needs Pillow."""

from __future__ import annotations

import os
import threading
import zipfile
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from renga_core.configuration import get_dtype
from renga_core.dataset import DatasetMixin
from renga_data.datasets.file_errors import check_growth, reading
from renga_data.datasets.image_dataset import as_label, read_image, read_pairs, require_pillow

__all__ = ["LabeledZippedImageDataset", "MultiZippedImageDataset", "ZippedImageDataset"]

Path = str | os.PathLike[str]


class ZippedImageDataset(DatasetMixin):
    """The images in a zip archive, in its order. Each is read when it is requested; see `ImageDataset`.

    It can be pickled, and used by several threads and processes. Needs Pillow (``pip install 'renga[cv]'``).

    Args:
        zipfilename: The archive, which must contain only images.
        dtype: Dtype of the arrays. Default: ``config.dtype``.

    Raises:
        RengaError: Pillow is not installed.
        FileRefused: The file is not a zip archive, or is damaged. From indexing: a member is not an image, is damaged,
            or needs far more memory than its size.
        OSError: The file does not exist.
    """

    def __init__(self, zipfilename: Path, dtype: Any = None) -> None:
        require_pillow(type(self).__name__)
        self._path = os.fspath(zipfilename)
        self._dtype = get_dtype(dtype)
        self._opened: tuple[int, zipfile.ZipFile] | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._names = [name for name in self._archive().namelist() if not name.endswith("/")]

    def __len__(self) -> int:
        return len(self._names)

    def get_example(self, i: int | str) -> np.ndarray[Any, Any]:
        """Return an image by its number or by its name in the archive; KeyError if the name does not exist."""
        name = i if isinstance(i, str) else self._names[i]
        with self._lock:
            archive = self._archive()
            member, full = archive.getinfo(name), f"{self._path}/{name}"
            packed = min(member.compress_size, os.stat(self._path).st_size)
            check_growth(full, member.file_size, packed)
            with reading(full, "an image"), archive.open(name) as file:
                return read_image(file, self._dtype, full, packed)

    def close(self) -> None:
        """Close the archive. Reading an image raises ValueError then."""
        if self._opened is not None:
            self._opened[1].close()
        self._closed = True

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_opened", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _opened=None, _closed=False, _lock=threading.Lock())

    def __del__(self) -> None:
        if hasattr(self, "_opened"):  # not if Pillow is missing
            self.close()

    def _archive(self) -> zipfile.ZipFile:
        """The archive, opened by this process, because a forked process would share the file position."""
        if self._closed:
            raise ValueError(f"{self._path}: this {type(self).__name__} has been closed")
        if self._opened is None or self._opened[0] != os.getpid():
            with reading(self._path, "a zip archive"):
                self._opened = os.getpid(), zipfile.ZipFile(self._path)
        return self._opened[1]


class MultiZippedImageDataset(DatasetMixin):
    """The images in several zip archives, one archive after another. See `ZippedImageDataset`.

    Args:
        zipfilenames: The archives.
        dtype: Dtype of the arrays. Default: ``config.dtype``.
    """

    def __init__(self, zipfilenames: Sequence[Path], dtype: Any = None) -> None:
        self._archives = [ZippedImageDataset(name, dtype) for name in zipfilenames]
        self._ends = list(accumulate(map(len, self._archives)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def get_example(self, i: int) -> np.ndarray[Any, Any]:
        """Return image `i`; negative numbers count from the end."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} is out of range for {len(self)} images")
        i %= len(self)
        which = bisect_right(self._ends, i)
        return self._archives[which].get_example(i - self._ends[which])


class LabeledZippedImageDataset(DatasetMixin):
    """Pairs of an image in a zip archive and a label. See `ZippedImageDataset`.

    Args:
        zipfilename: The archive.
        labelfilename: A text file; each line has the name of an image in the archive and an integer.
        dtype: Dtype of the images. Default: ``config.dtype``.
        label_dtype: Dtype of the labels, which are 0-d arrays.

    Raises:
        ValueError: See `ZippedImageDataset`; or a line does not have this form.
    """

    def __init__(self, zipfilename: Path, labelfilename: Path, dtype: Any = None, label_dtype: Any = np.int32) -> None:
        self._images = ZippedImageDataset(zipfilename, dtype)
        self._pairs = read_pairs(labelfilename)
        self._label_dtype = label_dtype

    def __len__(self) -> int:
        return len(self._pairs)

    def get_example(self, i: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return image `i` and its label."""
        name, label = self._pairs[i]
        return self._images.get_example(name), as_label(label, self._label_dtype, name)
