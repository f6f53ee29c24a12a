"""The files that snapshots of one name have left in a folder, by age.

Age is how far training had come. What the file system says is not: a clock may have been set back, and a folder copied
from another machine.
"""

from __future__ import annotations

import os
import re
import string
from pathlib import Path
from typing import NamedTuple

from renga_core.serializers import FileRefused
from renga_core.serializers.archive import open_archive

__all__ = ["SnapshotFile", "find_snapshots", "make_newest"]

_ITERATION = "updater/iteration"
_NUMBERS = {
    "iteration": r" *\d[\d,_]*",
    "epoch": r" *\d[\d,_]*",
    "epoch_detail": r" *\d[\d,_]*(?:\.\d+)?(?:e[-+]\d+)?",
    "elapsed_time": r" *\d[\d,_]*(?:\.\d+)?(?:e[-+]\d+)?",
}
"""What of a trainer and its updater says how far training has come, and how it is written into a name."""


class SnapshotFile(NamedTuple):
    """A file.

    Attributes:
        path: Where it is.
        progress: How far training had come; of one name all are of one kind. None if neither name nor file says it.
    """

    path: Path
    progress: tuple[float, ...] | None


def find_snapshots(folder: str | os.PathLike[str], filename: str) -> list[SnapshotFile]:
    """Find the files in a folder whose names a format string may have given, the newest first.

    How far training had come is in the name, or else in the file, if that is a trainer's. Where it is in neither, the
    time of the last change has to do.

    Args:
        folder: The folder; there need not be one.
        filename: The format string, with fields such as ``{.updater.iteration}``.
    """
    pattern, names = _pattern(filename)
    files = []
    for path in Path(folder).iterdir() if Path(folder).is_dir() else ():
        if found := pattern.fullmatch(path.name):
            files.append(SnapshotFile(path, _progress(found, names) if names else _progress_inside(path)))
    return sorted(files, key=_age, reverse=True)


def make_newest(path: Path, others: list[SnapshotFile]) -> None:
    """Have the time of a new file be later than that of others: where it is all there is, it shall be right."""
    latest = max((_time(other.path) for other in others if other.path != path), default=0)
    if _time(path) <= latest:
        os.utime(path, ns=(latest + 1, latest + 1))


def _age(file: SnapshotFile) -> tuple[tuple[float, ...], int]:
    return file.progress or (), _time(file.path)


def _time(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _pattern(filename: str) -> tuple[re.Pattern[str], list[str]]:
    """What names look like, and which of its groups are numbers that say how far training had come."""
    parts, names = "", []
    for text, field, _, _ in string.Formatter().parse(filename):
        parts += re.escape(text)
        if field is None:
            continue
        kind = field.rpartition(".")[2]
        if kind in _NUMBERS and kind not in names:
            names.append(kind)
            parts += f"(?P<{kind}>{_NUMBERS[kind]})"
        else:
            parts += ".+"
    return re.compile(parts), ["iteration"] if "iteration" in names else names


def _progress(found: re.Match[str], names: list[str]) -> tuple[float, ...]:
    return tuple(float(re.sub("[ ,_]", "", found[name])) for name in names)


def _progress_inside(path: Path) -> tuple[float, ...] | None:
    try:
        with open_archive(path) as archive:
            return (float(archive[_ITERATION]),) if _ITERATION in archive else None
    except (FileRefused, OSError, TypeError):
        return None
