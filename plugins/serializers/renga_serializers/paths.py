"""Names of files, as users give them."""

from __future__ import annotations

import os

__all__ = ["find_file"]


def find_file(file: str | os.PathLike[str], *suffixes: str) -> str:
    """Return the path of a file to load: as given or, if it does not exist, with the first suffix that exists.

    >>> find_file("no such file", ".npz")
    'no such file'
    """
    path = os.fspath(file)
    if not os.path.exists(path):
        for suffix in suffixes:
            if os.path.exists(path + suffix):
                return path + suffix
    return path
