"""Reads the ``.npz`` files of data sets in Chainer's folder. If a file is missing, Renga downloads the data set."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from renga_chainer.modules.chainer.dataset.download import get_dataset_root
from renga_core.configuration import config
from renga_data import datasets
from renga_data.datasets.file_errors import check_growth, reading
from renga_data.datasets.images import as_dataset, as_floats, as_rgb
from renga_serializers.archive import open_archive

__all__ = [
    "get_cifar10",
    "get_cifar100",
    "get_fashion_mnist",
    "get_kuzushiji_mnist",
    "get_mnist",
    "get_ptb_words",
    "get_ptb_words_vocabulary",
    "get_svhn",
]

_WHITE = 255
_MNIST = {1: (784,), 2: (28, 28), 3: (1, 28, 28)}
_CIFAR = {1: (3072,), 3: (3, 32, 32)}


def get_mnist(
    withlabel: bool = True,
    ndim: int = 1,
    scale: float = 1.0,
    dtype: Any = None,
    label_dtype: Any = np.int32,
    rgb_format: bool = False,
) -> Any:
    """Like Renga's, but reads ``pfnet/chainer/mnist`` if it exists."""
    return _mnist("mnist", datasets.get_mnist, withlabel, ndim, scale, dtype, label_dtype, rgb_format)


def get_fashion_mnist(
    withlabel: bool = True,
    ndim: int = 1,
    scale: float = 1.0,
    dtype: Any = None,
    label_dtype: Any = np.int32,
    rgb_format: bool = False,
) -> Any:
    """Like Renga's, but reads ``pfnet/chainer/fashion-mnist`` if it exists."""
    return _mnist("fashion-mnist", datasets.get_fashion_mnist, withlabel, ndim, scale, dtype, label_dtype, rgb_format)


def get_kuzushiji_mnist(
    withlabel: bool = True,
    ndim: int = 1,
    scale: float = 1.0,
    dtype: Any = None,
    label_dtype: Any = np.int32,
    rgb_format: bool = False,
) -> Any:
    """Like Renga's, but reads ``pfnet/chainer/kuzushiji_mnist`` if it exists."""
    return _mnist(
        "kuzushiji_mnist", datasets.get_kuzushiji_mnist, withlabel, ndim, scale, dtype, label_dtype, rgb_format
    )


def get_cifar10(withlabel: bool = True, ndim: int = 3, scale: float = 1.0, dtype: Any = None) -> Any:
    """Like Renga's, but reads ``pfnet/chainer/cifar/cifar-10.npz`` if it exists."""
    return _cifar("cifar-10.npz", datasets.get_cifar10, withlabel, ndim, scale, dtype)


def get_cifar100(withlabel: bool = True, ndim: int = 3, scale: float = 1.0, dtype: Any = None) -> Any:
    """Like Renga's, but reads ``pfnet/chainer/cifar/cifar-100.npz`` if it exists."""
    return _cifar("cifar-100.npz", datasets.get_cifar100, withlabel, ndim, scale, dtype)


def get_svhn(
    withlabel: bool = True, scale: float = 1.0, dtype: Any = None, label_dtype: Any = np.int32, add_extra: bool = False
) -> Any:
    """Like Renga's, but reads ``pfnet/chainer/svhn`` if it exists."""
    parts = _read("svhn", "train.npz", "test.npz", *["extra.npz"] * add_extra)
    if parts is None:
        return datasets.get_svhn(withlabel, scale, _dtype(dtype), label_dtype, add_extra)
    return tuple(
        as_dataset(
            as_floats(part["x"].transpose(3, 2, 0, 1), _WHITE, scale, _dtype(dtype)),
            part["y"].reshape(-1) % 10,  # label 10 means digit 0
            withlabel,
            label_dtype,
        )
        for part in parts
    )


def get_ptb_words() -> Any:
    """Like Renga's, but reads ``pfnet/chainer/ptb`` if it exists."""
    parts = _read("ptb", "train.npz", "valid.npz", "test.npz")
    return datasets.get_ptb_words() if parts is None else tuple(part["x"] for part in parts)


def get_ptb_words_vocabulary() -> dict[str, int]:
    """Like Renga's, but reads ``pfnet/chainer/ptb/vocab.txt`` if it exists."""
    path = _path("ptb", "vocab.txt")
    if not os.path.exists(path):
        return datasets.get_ptb_words_vocabulary()
    with reading(path, "a text file in UTF-8"), open(path, encoding="utf-8") as lines:
        return {line.strip(): number for number, line in enumerate(lines)}


def _path(folder: str, file: str) -> str:
    return os.path.join(get_dataset_root(), "pfnet", "chainer", folder, file)


def _read(folder: str, *files: str) -> list[dict[str, Any]] | None:
    """Return the arrays of files, or None if a file is missing."""
    paths = [_path(folder, file) for file in files]
    if not all(map(os.path.exists, paths)):
        return None
    found = []
    for path in paths:
        with open_archive(path) as arrays:
            for name in arrays:
                if header := arrays.header(name):
                    check_growth(f"{path}/{name}", header.nbytes, header.packed)
            found.append(dict(arrays))
    return found


def _dtype(dtype: Any) -> np.dtype[Any]:
    chosen: np.dtype[Any] = np.dtype(config.dtype if dtype is None else dtype)
    return chosen


def _mnist(
    folder: str,
    otherwise: Callable[..., Any],
    withlabel: bool,
    ndim: int,
    scale: float,
    dtype: Any,
    label_dtype: Any,
    rgb_format: bool,
) -> Any:
    """Return the arrays in a folder as data sets; if there are none, call `otherwise` with the same arguments."""
    parts = _read(folder, "train.npz", "test.npz")
    if parts is None:
        return otherwise(withlabel, ndim, scale, _dtype(dtype), label_dtype, rgb_format)
    if ndim not in _MNIST:
        raise ValueError("invalid ndim for MNIST dataset")

    def make(part: dict[str, Any]) -> Any:
        images = as_floats(part["x"], _WHITE, scale, _dtype(dtype)).reshape(-1, *_MNIST[ndim])
        return as_dataset(as_rgb(images) if rgb_format and ndim == 3 else images, part["y"], withlabel, label_dtype)

    return tuple(map(make, parts))


def _cifar(file: str, otherwise: Callable[..., Any], withlabel: bool, ndim: int, scale: float, dtype: Any) -> Any:
    """Return the arrays in a file as data sets; if there are none, call `otherwise` with the same arguments."""
    parts = _read("cifar", file)
    if parts is None:
        return otherwise(withlabel, ndim, scale, _dtype(dtype))
    if ndim not in _CIFAR:
        raise ValueError("invalid ndim for CIFAR dataset")
    (arrays,) = parts
    return tuple(
        as_dataset(
            as_floats(arrays[f"{part}_x"], _WHITE, scale, _dtype(dtype)).reshape(-1, *_CIFAR[ndim]),
            arrays[f"{part}_y"],
            withlabel,
            np.int32,
        )
        for part in ("train", "test")
    )
