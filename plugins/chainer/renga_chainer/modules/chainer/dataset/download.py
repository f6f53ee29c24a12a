"""``chainer.dataset.download``: files of data sets in ``$CHAINER_DATASET_ROOT``, Chainer's folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import urllib.request

from renga_data.datasets.cached import cache_or_load_file
from renga_data.lock import locked
from renga_serializers.atomic import atomic_write

__all__ = [
    "cache_or_load_file",
    "cached_download",
    "get_dataset_directory",
    "get_dataset_root",
    "set_dataset_root",
]

_set: str | None = None


def get_dataset_root() -> str:
    """Return the folder of data sets: of `set_dataset_root`, ``$CHAINER_DATASET_ROOT`` or ``~/.chainer/dataset``."""
    default = os.path.join(os.path.expanduser("~"), ".chainer", "dataset")
    return _set if _set is not None else os.environ.get("CHAINER_DATASET_ROOT", default)


def set_dataset_root(path: str) -> None:
    """Set the folder for data sets."""
    global _set
    _set = path


def get_dataset_directory(dataset_name: str, create_directory: bool = True) -> str:
    """Return the folder of a data set, such as ``pfnet/chainer/mnist``, and create it if needed.

    Raises:
        OSError: It cannot be created.
    """
    path = os.path.join(get_dataset_root(), dataset_name)
    if create_directory:
        os.makedirs(path, exist_ok=True)
    return path


def cached_download(url: str) -> str:
    """Return the path of a downloaded file, ``_dl_cache/<md5 of the address>``. The first call downloads it.

    Raises:
        OSError: It cannot be downloaded or stored.
    """
    name = hashlib.md5(url.encode(), usedforsecurity=False).hexdigest()
    path = os.path.join(get_dataset_directory("_dl_cache"), name)
    with locked(path):
        if not os.path.exists(path):
            print(f"Downloading from {url}...", file=sys.stderr, flush=True)
            with urllib.request.urlopen(url) as source, atomic_write(path) as target:
                shutil.copyfileobj(source, target)
    return path
