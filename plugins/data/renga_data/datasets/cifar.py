"""CIFAR-10 and CIFAR-100: 32 × 32 colour images, 50000 for training and 10000 for testing.

It reads the publisher's binary version, record by record: one byte per label, then 1024 bytes each for red, green and
blue. (The Python version is a pickle, which could run any code.)
"""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_data.datasets import remote
from renga_data.datasets.download import fetch
from renga_data.datasets.file_errors import check_growth, reading
from renga_data.datasets.images import as_dataset, as_floats
from renga_data.datasets.tuple_dataset import TupleDataset

__all__ = ["get_cifar10", "get_cifar100"]

Pair = tuple[TupleDataset | np.ndarray[Any, Any], TupleDataset | np.ndarray[Any, Any]]

_WHITE = 255
_SHAPES = {1: (3072,), 3: (3, 32, 32)}


def get_cifar10(withlabel: bool = True, ndim: int = 3, scale: float = 1.0, dtype: Any = None) -> Pair:
    """Return (train, test) sets of CIFAR-10: photographs of ten classes.

    Args:
        withlabel: Examples are pairs (image, int32 label); otherwise the sets are arrays of images.
        ndim: Shape of an image: 1 for (3072,), 3 for (3, 32, 32).
        scale: Value of the brightest pixel; black is 0.
        dtype: Dtype of the images, floating. Default: ``config.dtype``.

    Raises:
        DownloadError: The file is not in the cache and cannot be downloaded.
        ValueError: `ndim` or `dtype` is invalid.

    Source: A. Krizhevsky, *Learning Multiple Layers of Features from Tiny Images*, 2009.
    """
    train = [f"cifar-10-batches-bin/data_batch_{i}.bin" for i in range(1, 6)]
    test = ["cifar-10-batches-bin/test_batch.bin"]
    return _load(remote.CIFAR10, (train, test), 1, withlabel, ndim, scale, dtype)


def get_cifar100(withlabel: bool = True, ndim: int = 3, scale: float = 1.0, dtype: Any = None) -> Pair:
    """Return (train, test) sets of CIFAR-100 with fine labels. Arguments, errors and source as for `get_cifar10`."""
    members = ["cifar-100-binary/train.bin"], ["cifar-100-binary/test.bin"]
    # The coarse label comes before the fine label.
    return _load(remote.CIFAR100, members, 2, withlabel, ndim, scale, dtype)


def _load(
    file: remote.RemoteFile,
    members: tuple[Sequence[str], Sequence[str]],
    n_labels: int,
    withlabel: bool,
    ndim: int,
    scale: float,
    dtype: Any,
) -> Pair:
    if ndim not in _SHAPES:
        raise ValueError(f"ndim must be 1 or 3, not {ndim}")
    path = fetch(file)
    train, test = (
        as_dataset(
            as_floats(records[:, n_labels:], _WHITE, scale, dtype).reshape(-1, *_SHAPES[ndim]),
            records[:, n_labels - 1],
            withlabel,
            np.int32,
        )
        for records in (_read_records(path, names, n_labels) for names in members)
    )
    return train, test


def _read_records(path: Any, members: Sequence[str], n_labels: int) -> np.ndarray[Any, Any]:
    """The records of some members of an archive as an array (N, n_labels + 3072). Nothing is unpacked to disk."""
    length = n_labels + 3072
    parts = []
    with reading(str(path), "a CIFAR archive"), tarfile.open(path, "r:gz") as archive:
        for name in members:
            member = archive.extractfile(name)
            if member is None:
                raise ValueError(f"{name} is not a file")
            check_growth(f"{path}/{name}", archive.getmember(name).size, path.stat().st_size)
            parts.append(np.frombuffer(member.read(), np.uint8).reshape(-1, length))
        return np.concatenate(parts)
