"""Folders of data sets: what is missing or damaged in them, and how they are downloaded."""

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

_ADVICE = "Check data_dir: it is the folder that the class's documentation says."


def unpacked(dataset: str, url: str, sentinel: str, *, folder: str = "") -> str:
    """Return the path of a data set's folder. What is not in it is downloaded.

    Of several processes that want it, one downloads it, and the others wait. If unpacking was interrupted, it is done
    again.

    Args:
        dataset: Its name.
        url: The address of an archive.
        sentinel: A file or folder of the archive; if it is there, the archive has been unpacked.
        folder: Where in the data set's folder to unpack it.

    Raises:
        DownloadError: It cannot be downloaded.
        FileRefused: The archive is damaged, or would write elsewhere.
    """
    root = get_dataset_directory(f"{ROOT}/{dataset}")
    archive = url.rpartition("/")[2].partition("?")[0]
    unpack_once(archive, lambda: cached_download(url), root, sentinel, folder)
    return os.fspath(root)


def unpack_once(archive: str, get: Callable[[], str], root: Path, sentinel: str, folder: str) -> None:
    """Unpack an archive, unless that has been done; see `unpacked`.

    Args:
        archive: Its name.
        get: Returns its path.
        root: The data set's folder.
        sentinel: A file or folder of the archive; if it is there, the archive has been unpacked.
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
    """Raise ValueError if an argument of a data set is none of those known."""
    if given not in known:
        near = did_you_mean(str(given), [str(each) for each in known])
        listed = ", ".join(repr(each) for each in known)
        raise ValueError(f"{dataset}: {name} is one of {listed}, not {given!r}.{near}{why}")


def require_file(dataset: str, path: str | os.PathLike[str]) -> None:
    """Raise FileNotFoundError if a file of a data set is not there."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"{dataset}: there is no file {os.fspath(path)}. {_ADVICE}")


def require_folder(dataset: str, path: str | os.PathLike[str], advice: str = "") -> None:
    """Raise FileNotFoundError if a folder of a data set is not there."""
    if not Path(path).is_dir():
        raise FileNotFoundError(f"{dataset}: there is no folder {os.fspath(path)}. {advice or _ADVICE}")


def files_in(dataset: str, folder: str | os.PathLike[str], ending: str) -> list[str]:
    """The paths of the files in a folder whose names end so, in order. Raises FileNotFoundError if it is not there."""
    require_folder(dataset, folder)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(ending))


def folders_in(folder: str | os.PathLike[str]) -> list[str]:
    """The names of the folders in a folder, in order."""
    return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())


def read_lines(dataset: str, path: str | os.PathLike[str]) -> list[str]:
    """The lines of a text file of a data set, without white space around them; empty ones are left out.

    Raises:
        FileNotFoundError: It is not there.
        FileDamaged: It is not UTF-8.
    """
    require_file(dataset, path)
    with reading(os.fspath(path), "a text file in UTF-8"):
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip()]
