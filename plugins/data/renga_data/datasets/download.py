"""Downloading files of data sets to a cache. A file is used only if its SHA-256 digest is correct.

The cache is the setting ``dataset.root`` (``RENGA_DATASET_ROOT``); default: ``renga/datasets`` in the user's cache
folder (``XDG_CACHE_HOME``, or ``~/.cache``). It is created at the first download. The setting ``dataset.mirror``
(``RENGA_DATASET_MIRROR``) is the address of a folder with ``<data set>/<file>``, which replaces the publishers'
addresses; it may be a ``file://`` address.
"""

from __future__ import annotations

import hashlib
import os
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import IO

from renga_core.errors import RengaError
from renga_core.settings import lookup
from renga_data.datasets.remote import RemoteFile
from renga_data.lock import locked
from renga_serializers.atomic import atomic_write

__all__ = ["DownloadError", "fetch", "get_dataset_directory", "get_dataset_root", "set_dataset_root"]

_CHUNK = 1 << 20
_TIMEOUT = 30.0  # seconds without a byte


class DownloadError(RengaError):
    """A file of a data set cannot be downloaded, or its content is wrong. No wrong file is kept."""


def get_dataset_root() -> Path:
    """Return the folder for downloaded data; it need not exist."""
    root = lookup("dataset.root").value
    if root is not None:
        return Path(root).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "renga" / "datasets"


def set_dataset_root(path: str | os.PathLike[str]) -> None:
    """Set the folder for downloaded data.

    Sets ``RENGA_DATASET_ROOT`` in the environment of this process, so that child processes use it too. A value of
    ``dataset.root`` from the command line or `renga.using` takes precedence.
    """
    os.environ["RENGA_DATASET_ROOT"] = os.fspath(path)


def get_dataset_directory(dataset_name: str, create_directory: bool = True) -> Path:
    """Return the folder of the data set with this name, under `get_dataset_root`.

    Args:
        dataset_name: Name of the folder; slashes make folders in folders.
        create_directory: Create the folder if it does not exist.

    Raises:
        ValueError: The name leads outside the root.
        OSError: The folder cannot be created.
    """
    root = get_dataset_root()
    if ".." in Path(dataset_name).parts or Path(dataset_name).is_absolute():
        raise ValueError(f"a data set's folder must be inside {root}; {dataset_name!r} leads outside")
    if create_directory:
        (root / dataset_name).mkdir(parents=True, exist_ok=True)
    return root / dataset_name


def fetch(file: RemoteFile) -> Path:
    """Return the path of a file in the cache; download it if it is missing.

    If several processes request it, one downloads it, and the others wait.

    Raises:
        DownloadError: The file cannot be downloaded, or its content is wrong.
    """
    path = get_dataset_root() / file.dataset / file.name
    if path.exists():
        _check_cached(path, file)
        return path
    mirror = lookup("dataset.mirror")
    folder = f"{mirror.value.rstrip('/')}/{file.dataset}" if mirror.value else file.url
    url = f"{folder}/{file.name}"
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT) as source:
            path.parent.mkdir(parents=True, exist_ok=True)
            with locked(path):
                if not path.exists():
                    _keep(source, path, file, url)
    # OSError: no network, no such host, HTTP errors, timeouts, a full disk. ValueError: not a URL.
    except (OSError, HTTPException, ValueError) as error:
        source_of_url = f" (dataset.mirror from {mirror.origin})" if mirror.value else ""
        raise DownloadError(
            f"data set {file.dataset!r}: cannot download {url}{source_of_url}: {error or type(error).__name__}. "
            + _advice(path, file)
        ) from error
    return path


def _keep(source: IO[bytes], path: Path, file: RemoteFile, url: str) -> None:
    with atomic_write(path) as target:
        problem = _copy(source, target, file)
        if problem:
            raise DownloadError(
                f"data set {file.dataset!r}: {url} is not the file it should be: {problem}. It was not kept. "
                + _advice(path, file)
            )


def _copy(source: IO[bytes], target: IO[bytes], file: RemoteFile) -> str:
    """Copy a download; return a description of what is wrong with it, or "". Reads no more than the expected size."""
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if size > file.size:
            return f"it has more than {file.size} bytes"
        digest.update(chunk)
        target.write(chunk)
    return _difference(size, digest.hexdigest(), file)


def _check_cached(path: Path, file: RemoteFile) -> None:
    with path.open("rb") as opened:
        problem = _difference(path.stat().st_size, hashlib.file_digest(opened, "sha256").hexdigest(), file)
    if problem:
        raise DownloadError(
            f"data set {file.dataset!r}: {path} is damaged or another file: {problem}. "
            "Delete it, and it will be downloaded again."
        )


def _difference(size: int, digest: str, file: RemoteFile) -> str:
    if size != file.size:
        return f"it has {size} bytes, not {file.size}"
    if digest != file.sha256:
        return f"its SHA-256 is {digest}, not {file.sha256}"
    return ""


def _advice(path: Path, file: RemoteFile) -> str:
    return (
        f"Get {file.name} another way ({file.size} bytes, SHA-256 {file.sha256}) and put it at {path}, or set "
        f"RENGA_DATASET_MIRROR (setting dataset.mirror) to an address that has {file.dataset}/{file.name}."
    )
