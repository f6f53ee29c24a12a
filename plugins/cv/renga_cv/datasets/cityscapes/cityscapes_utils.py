"""Locate Cityscapes."""

from __future__ import annotations

import os

from renga_cv.datasets.folders import ROOT
from renga_data.datasets.download import get_dataset_directory

__all__ = ["ADVICE", "get_cityscapes"]

ADVICE = (
    "Cityscapes cannot be downloaded without an account: get it from https://www.cityscapes-dataset.com and unpack it "
    "there, or set data_dir."
)


def get_cityscapes() -> str:
    """Return the folder in the cache where Cityscapes is expected."""
    return os.fspath(get_dataset_directory(f"{ROOT}/cityscapes", create_directory=False))
