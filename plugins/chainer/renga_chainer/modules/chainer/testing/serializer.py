"""``chainer.testing.serializer``: saves and loads objects through files in Chainer's format."""

from __future__ import annotations

from typing import Any

from renga_chainer.modules.chainer.serializers import load_hdf5, load_npz, save_hdf5, save_npz
from renga_testing.cases import save_and_load as save_and_load

__all__ = ["save_and_load", "save_and_load_hdf5", "save_and_load_npz"]


def save_and_load_npz(src: Any, dst: Any) -> None:
    """`save_and_load` through an npz file."""
    save_and_load(src, dst, "tmp.npz", save_npz, load_npz)


def save_and_load_hdf5(src: Any, dst: Any) -> None:
    """`save_and_load` through an HDF5 file."""
    save_and_load(src, dst, "tmp.h5", save_hdf5, load_hdf5)
