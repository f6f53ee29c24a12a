"""Files that are kept in a cache, because they take long to download or make."""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, TypeVar

from renga_data.datasets.download import DownloadError, get_dataset_root
from renga_data.lock import locked
from renga_serializers.atomic import atomic_path, atomic_write

__all__ = ["cache_or_load_file", "cached_download"]

Content = TypeVar("Content")

_FOLDER = "_dl_cache"
_CHUNK = 1 << 20
_TIMEOUT = 30.0  # seconds without a byte


def cached_download(url: str, *, sha256: str | None = None) -> str:
    """Return the path of a local copy of the file at an address. It is downloaded the first time.

    If several processes request it, one downloads it, and the others wait.

    Args:
        url: The address.
        sha256: SHA-256 digest of the file, hexadecimal. Give it if you can: without it, any response of the server is
            accepted.

    Raises:
        DownloadError: The file cannot be downloaded, was incomplete, or has another digest. No wrong file is kept.
    """
    path = get_dataset_root() / _FOLDER / hashlib.sha256(url.encode()).hexdigest()
    if not path.exists():
        try:
            with urllib.request.urlopen(url, timeout=_TIMEOUT) as source:
                path.parent.mkdir(parents=True, exist_ok=True)
                with locked(path):
                    if not path.exists():
                        _keep(source, path, url, sha256)
        # OSError: no network, no such host, HTTP errors, timeouts, a full disk. ValueError: not a URL.
        except (OSError, HTTPException, ValueError) as error:
            raise DownloadError(f"cannot download {url}: {error or type(error).__name__}") from error
    elif sha256 is not None:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != sha256:
            raise DownloadError(
                f"{path}, kept for {url}, has SHA-256 {digest}, not {sha256}. Delete it, and it will be downloaded "
                "again."
            )
    return str(path)


def cache_or_load_file(
    path: str | os.PathLike[str], creator: Callable[[str], Content], loader: Callable[[str], Content]
) -> Content:
    """Load a file; create it first if it does not exist.

    If several processes request it, one creates it, and the others wait and load it. No partial file is ever left.

    Args:
        path: The file. Its folder is created if necessary.
        creator: Creates the file: called with the path of a file that does not exist, with the same name in another
            folder; writes it, and returns the content.
        loader: Called with `path`; returns the content.

    Returns:
        The result of `creator` or `loader`.

    Raises:
        FileNotFoundError: `creator` has not written the file.
    """
    path = Path(path)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path):
            if not path.exists():
                # Keep the file name, because NumPy appends a missing suffix.
                with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
                    made = Path(folder, path.name)
                    content = creator(str(made))
                    with atomic_path(path) as temporary:
                        made.rename(temporary)
                return content
    return loader(str(path))


def _keep(source: Any, path: Path, url: str, sha256: str | None) -> None:
    with atomic_write(path) as target:
        size, digest = _copy(source, target)
        announced = source.headers.get("Content-Length")
        if announced is not None and int(announced) != size:
            raise DownloadError(f"{url} was incomplete: {size} of {announced} bytes arrived. Try again.")
        if sha256 not in (None, digest):
            raise DownloadError(f"{url} is not the file it should be: its SHA-256 is {digest}, not {sha256}.")


def _copy(source: IO[bytes], target: IO[bytes]) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        digest.update(chunk)
        target.write(chunk)
    return size, digest.hexdigest()
