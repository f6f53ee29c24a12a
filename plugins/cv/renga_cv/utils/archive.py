"""Unpack archives. Nothing is written outside the given folder."""

from __future__ import annotations

import os
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from renga_core.serializers import FileRefused
from renga_data.datasets.file_errors import check_growth, reading

__all__ = ["extractall"]

_TAR = (".tar", ".gz", ".tgz")
_SMALL = 1 << 30
"""Unpacked size in bytes that is allowed for any archive, however small."""


def extractall(file_path: str | os.PathLike[str], destination: str | os.PathLike[str], ext: str) -> None:
    """Unpack all files of an archive into a folder. If the archive is refused, the folder stays unchanged.

    Args:
        file_path: The archive.
        destination: The folder; created if missing. Files of the same names are replaced.
        ext: The format of the archive: ``".zip"``, ``".tar"``, ``".gz"`` or ``".tgz"``.

    Raises:
        ValueError: `ext` has another value.
        FileRefused: The archive is damaged; or a member has a name or link that leads out of the folder, is neither
            file nor folder, or takes a hundred times as many bytes as the archive.
        OSError: A file cannot be read or written.
    """
    if ext != ".zip" and ext not in _TAR:
        raise ValueError(f"extractall: ext is {ext!r}; choose from '.zip', {', '.join(map(repr, _TAR))}")
    archive, folder = os.fspath(file_path), Path(destination)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".extract.", dir=folder) as made:
        with reading(archive, "a zip archive" if ext == ".zip" else "a tar archive"):
            (_unzip if ext == ".zip" else _untar)(archive, made)
        _move_files(Path(made), folder)


def _unzip(archive: str, folder: str) -> None:
    with zipfile.ZipFile(archive) as opened:
        members = opened.infolist()
        for member in members:
            _check_name(archive, member.filename)
        check_growth(archive, sum(member.file_size for member in members), os.stat(archive).st_size, _SMALL)
        opened.extractall(folder)  # reads at most the declared size of a member, and checks its CRC


def _untar(archive: str, folder: str) -> None:
    packed, unpacked = os.stat(archive).st_size, 0
    with tarfile.open(archive) as opened:
        for member in opened:
            _check_name(archive, member.name)
            unpacked += member.size
            check_growth(archive, unpacked, packed, _SMALL)
            try:
                opened.extract(member, folder, filter="data")
            except tarfile.FilterError as error:
                raise FileRefused(archive, f"{error}. Nothing was taken out of it.") from error


def _check_name(archive: str, name: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise FileRefused(
            archive, f"it has a file named {name!r}, which leads out of the folder. Nothing was taken out."
        )


def _move_files(source: Path, folder: Path) -> None:
    """Move all files and links of a folder into another; existing folders are merged."""
    for path in _files(source):
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        else:
            yield path
