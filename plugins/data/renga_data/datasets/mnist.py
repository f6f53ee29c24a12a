"""MNIST and related data sets: 28 × 28 gray images of ten classes, 60000 for training and 10000 for testing."""

from __future__ import annotations

import gzip
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np

from renga_data.datasets import remote
from renga_data.datasets.download import fetch
from renga_data.datasets.file_errors import check_growth, reading
from renga_data.datasets.images import as_dataset, as_floats, as_rgb
from renga_data.datasets.tuple_dataset import TupleDataset

__all__ = [
    "get_fashion_mnist",
    "get_fashion_mnist_labels",
    "get_kuzushiji_mnist",
    "get_kuzushiji_mnist_labels",
    "get_mnist",
    "read_idx",
]

Pair = tuple[TupleDataset | np.ndarray[Any, Any], TupleDataset | np.ndarray[Any, Any]]

_WHITE = 255
_UNSIGNED_BYTE = 0x08


def get_mnist(
    withlabel: bool = True,
    ndim: int = 1,
    scale: float = 1.0,
    dtype: Any = None,
    label_dtype: Any = np.int32,
    rgb_format: bool = False,
) -> Pair:
    """Return (train, test) sets of MNIST: handwritten digits.

    Args:
        withlabel: Examples are pairs (image, label); otherwise the sets are arrays of images.
        ndim: Shape of an image: 1 for (784,), 2 for (28, 28), 3 for (1, 28, 28).
        scale: Value of the brightest pixel; background is 0.
        dtype: Dtype of the images, floating. Default: ``config.dtype``.
        label_dtype: Dtype of the labels.
        rgb_format: With ``ndim=3``, repeat the channel: (3, 28, 28).

    Raises:
        DownloadError: The files are not in the cache and cannot be downloaded.
        ValueError: `ndim` or `dtype` is invalid, or `rgb_format` is set without ``ndim=3``.

    Source: Y. LeCun, C. Cortes and C. J. C. Burges, *The MNIST database of handwritten digits*, 1998.
    """
    return _load(remote.MNIST, withlabel, ndim, scale, dtype, label_dtype, rgb_format)


def get_fashion_mnist(
    withlabel: bool = True,
    ndim: int = 1,
    scale: float = 1.0,
    dtype: Any = None,
    label_dtype: Any = np.int32,
    rgb_format: bool = False,
) -> Pair:
    """Return (train, test) sets of Fashion-MNIST: articles of clothing. Arguments and errors as `get_mnist`.

    Source: H. Xiao, K. Rasul and R. Vollgraf, *Fashion-MNIST*, arXiv:1708.07747, 2017.
    """
    return _load(remote.FASHION_MNIST, withlabel, ndim, scale, dtype, label_dtype, rgb_format)


def get_fashion_mnist_labels() -> list[str]:
    """Return the names of Fashion-MNIST's ten classes, in the order of their labels."""
    return [
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    ]


def get_kuzushiji_mnist(
    withlabel: bool = True,
    ndim: int = 1,
    scale: float = 1.0,
    dtype: Any = None,
    label_dtype: Any = np.int32,
    rgb_format: bool = False,
) -> Pair:
    """Return (train, test) sets of Kuzushiji-MNIST: cursive Japanese characters. Arguments and errors as `get_mnist`.

    Source: T. Clanuwat et al., *Deep Learning for Classical Japanese Literature*, arXiv:1812.01718, 2018. CC BY-SA 4.0.
    """
    return _load(remote.KUZUSHIJI_MNIST, withlabel, ndim, scale, dtype, label_dtype, rgb_format)


def get_kuzushiji_mnist_labels() -> list[tuple[str, str]]:
    """Return the ten characters of Kuzushiji-MNIST in the order of their labels: (in Latin letters, in hiragana)."""
    names = ("o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo")
    return list(zip(names, "おきすつなはまやれを", strict=True))


def read_idx(path: Path) -> np.ndarray[Any, Any]:
    """Read a gzip-compressed file of unsigned bytes in MNIST's IDX format.

    The header is two zero bytes, the type of the elements, the number of dimensions, and each size as a big-endian
    32-bit integer. The elements follow in C order.

    Raises:
        FileRefused: The file has another format, is damaged, its length does not fit the sizes, or it needs far more
            memory than its size.
        OSError: The file cannot be opened.
    """
    name = str(path)
    with reading(name, "a gzip-compressed IDX file"), gzip.open(path) as file:
        head = file.read(4)
        zeros, kind, ndim = struct.unpack(">HBB", head)
        if zeros != 0 or kind != _UNSIGNED_BYTE:
            raise ValueError(f"it does not contain unsigned bytes: it begins with {head.hex(' ')}")
        shape = struct.unpack(f">{ndim}I", file.read(4 * ndim))
        size = math.prod(shape)
        check_growth(name, size, path.stat().st_size)
        elements = np.frombuffer(file.read(size + 1), np.uint8)
        if elements.size != size:
            there = f"{elements.size} elements" if elements.size < size else "more elements"
            raise ValueError(f"it has {there}, but says that its shape is {shape}")
        return elements.reshape(shape)


def _load(
    files: remote.MnistFiles,
    withlabel: bool,
    ndim: int,
    scale: float,
    dtype: Any,
    label_dtype: Any,
    rgb_format: bool,
) -> Pair:
    if ndim not in (1, 2, 3):
        raise ValueError(f"ndim must be 1, 2 or 3, not {ndim}")
    if rgb_format and ndim != 3:
        raise ValueError(f"rgb_format needs ndim=3, not ndim={ndim}")

    def load(image_file: remote.RemoteFile, label_file: remote.RemoteFile) -> TupleDataset | np.ndarray[Any, Any]:
        images = as_floats(read_idx(fetch(image_file)), _WHITE, scale, dtype)
        n, height, width = images.shape
        images = images.reshape(n, *{1: (height * width,), 2: (height, width), 3: (1, height, width)}[ndim])
        return as_dataset(as_rgb(images) if rgb_format else images, read_idx(fetch(label_file)), withlabel, label_dtype)

    return load(files.train_images, files.train_labels), load(files.test_images, files.test_labels)
