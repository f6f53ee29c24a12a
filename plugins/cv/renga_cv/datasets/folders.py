"""Folders of data sets: downloads, and checks for missing or damaged files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from renga_core.errors import did_you_mean
from renga_core.serializers import FileRefused
from renga_cv.utils.archive import extractall
from renga_data.datasets.cached import cached_download
from renga_data.datasets.download import get_dataset_directory
from renga_data.datasets.file_errors import reading
from renga_data.lock import locked

__all__ = [
    "ROOT",
    "check_choice",
    "files_in",
    "folders_in",
    "read_lines",
    "require_file",
    "require_folder",
    "unpack_once",
    "unpacked",
]

ROOT = "pfnet/chainercv"
"""The folder of all data sets under ``dataset.root``."""

_ADVICE = "Check data_dir: it must be the folder in the documentation of the class."


def unpacked(dataset: str, url: str, sentinel: str, *, folder: str = "") -> str:
    """Return the path of a data set's folder, and download missing files.

    If several processes need it, one downloads it and the others wait. Unpacking that was interrupted is repeated.

    Args:
        dataset: The name of the data set.
        url: The address of an archive.
        sentinel: A file or folder of the archive; it exists once the archive is unpacked.
        folder: Where in the data set's folder to unpack it.

    Raises:
        DownloadError: The download failed.
        FileRefused: The archive is damaged, or would write outside of the folder.
    """
    root = get_dataset_directory(f"{ROOT}/{dataset}")
    archive = url.rpartition("/")[2].partition("?")[0]
    unpack_once(archive, lambda: cached_download(url), root, sentinel, folder)
    return os.fspath(root)


def unpack_once(archive: str, get: Callable[[], str], root: Path, sentinel: str, folder: str) -> None:
    """Unpack an archive, unless that has been done; see `unpacked`.

    Args:
        archive: The name of the archive.
        get: Returns the path of the archive.
        root: The data set's folder.
        sentinel: A file or folder of the archive; it exists once the archive is unpacked.
        folder: Where in `root` to unpack it.
    """
    begun = root / f".{archive}.begun"
    with locked(root / archive):
        if begun.exists() or not (root / sentinel).exists():
            path = get()
            begun.touch()
            (root / folder).mkdir(parents=True, exist_ok=True)
            try:
                extractall(path, os.fspath(root / folder), os.path.splitext(archive)[1])
            except FileRefused as error:
                reason = " ".join(str(error).removeprefix(f"{path}: ").split()).rstrip(".")
                raise FileRefused(
                    path, f"{archive}, for {root}, cannot be unpacked: {reason}. Delete the file to download it again."
                ) from error
            begun.unlink()


def check_choice(dataset: str, name: str, given: Any, known: Sequence[Any], why: str = "") -> None:
    """Raise ValueError if an argument of a data set has an unknown value."""
    if given not in known:
        near = did_you_mean(str(given), [str(each) for each in known])
        listed = ", ".join(repr(each) for each in known)
        raise ValueError(f"{dataset}: {name} must be one of {listed}, not {given!r}.{near}{why}")


def require_file(dataset: str, path: str | os.PathLike[str]) -> None:
    """Raise FileNotFoundError if a file of a data set is missing."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"{dataset}: there is no file {os.fspath(path)}. {_ADVICE}")


def require_folder(dataset: str, path: str | os.PathLike[str], advice: str = "") -> None:
    """Raise FileNotFoundError if a folder of a data set is missing."""
    if not Path(path).is_dir():
        raise FileNotFoundError(f"{dataset}: there is no folder {os.fspath(path)}. {advice or _ADVICE}")


def files_in(dataset: str, folder: str | os.PathLike[str], ending: str) -> list[str]:
    """Return the sorted paths of a folder's files with this suffix. Raises FileNotFoundError if it is missing."""
    require_folder(dataset, folder)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(ending))


def folders_in(folder: str | os.PathLike[str]) -> list[str]:
    """Return the sorted names of the subfolders."""
    return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())


def read_lines(dataset: str, path: str | os.PathLike[str]) -> list[str]:
    """Return the lines of a text file, stripped of white space; empty lines are left out.

    Raises:
        FileNotFoundError: The file is missing.
        FileDamaged: The file is not UTF-8.
    """
    require_file(dataset, path)
    with reading(os.fspath(path), "a text file in UTF-8"):
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip()]
