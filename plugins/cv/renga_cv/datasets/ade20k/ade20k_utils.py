"""Locate ADE20K."""

from __future__ import annotations

import os

from renga_cv.datasets.folders import unpacked

__all__ = ["get_ade20k"]

_URL = "http://data.csail.mit.edu/places/ADEchallenge"


def get_ade20k(name: str) -> str:
    """Return the folder ``ADEChallengeData2016`` or ``release_test``, by `name`, downloaded if missing.

    Raises:
        DownloadError: The download failed.
    """
    return os.path.join(unpacked("ade20k", f"{_URL}/{name}.zip", name), name)
