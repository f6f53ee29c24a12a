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
"""Unpacked size in bytes that is allowed for any archive, even a very small one."""


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
        # Removes owners and special permissions. Python has this filter only from 3.11.4 on, and Debian 12 has 3.11.2,
        # so the files are checked here for every version.
        opened.extraction_filter = getattr(tarfile, "data_filter", None)
        for member in opened:
            _check_name(archive, member.name)
            unpacked += member.size
            check_growth(archive, unpacked, packed, _SMALL)
            _check_kind(archive, member, folder)
            opened.extract(member, folder)


def _check_name(archive: str, name: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise FileRefused(
            archive, f"it has a file named {name!r}, which leads out of the folder. Nothing was unpacked."
        )


def _check_kind(archive: str, member: tarfile.TarInfo, folder: str) -> None:
    """Refuse members that are neither file nor folder, and links out of the folder, also through earlier links."""
    if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
        raise FileRefused(archive, f"{member.name!r} is neither file nor folder. Nothing was unpacked.")
    places = [os.path.join(folder, member.name)]
    if member.issym():
        places.append(os.path.join(folder, os.path.dirname(member.name), member.linkname))
    elif member.islnk():
        places.append(os.path.join(folder, member.linkname))
    root = os.path.realpath(folder)
    for place in places:
        if os.path.commonpath([root, os.path.realpath(place)]) != root:
            raise FileRefused(archive, f"{member.name!r} leads out of the folder. Nothing was unpacked.")


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
