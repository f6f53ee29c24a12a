"""`SnapshotFile`: the progress of training in a snapshot's file, and other values of the trainer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from renga_core.serializers import FileRefused
from renga_serializers.archive import open_archive

__all__ = ["SnapshotFile"]


@dataclass(frozen=True)
class SnapshotFile:
    """A snapshot file.

    Attributes:
        path: Path of the file.
        progress: The progress of training; comparable among files of the same name pattern. None if it is unknown.
    """

    path: Path
    progress: tuple[float, ...] | None

    @classmethod
    def at(cls, path: Path, progress: tuple[float, ...]) -> SnapshotFile:
        """Return the file at a path. If its name shows no progress, the trainer's iteration in the file is read."""
        if progress:
            return cls(path, progress)
        try:
            iteration = _read(path).iteration
        except OSError:
            iteration = None
        return cls(path, None if iteration is None else (iteration,))

    @property
    def modified(self) -> int:
        """Time of the last change, in nanoseconds, from the file system; 0 if the file does not exist."""
        return _stat(self.path)[0]

    @property
    def elapsed_time(self) -> float | None:
        """Seconds of training so far; None if the file is not a trainer's npz file. OSError: it cannot be read."""
        return _read(self.path).elapsed_time

    @property
    def observation(self) -> Mapping[str, float]:
        """The values reported in its iteration; empty if it is not a trainer's npz file. OSError: it cannot be read."""
        return _read(self.path).observation


class _State(NamedTuple):
    """The parts of a trainer's state that describe the run (`Trainer.serialize`)."""

    iteration: float | None = None
    elapsed_time: float | None = None
    observation: Mapping[str, float] = MappingProxyType({})


def _stat(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _read(path: Path) -> _State:
    return _read_as_of(path, *_stat(path))


@lru_cache(maxsize=1024)
def _read_as_of(path: Path, modified: int, size: int) -> _State:
    """Read a file; read it again only if it has changed. A damaged file gives no values."""
    try:
        with open_archive(path) as archive:
            iteration, elapsed_time = (
                float(archive[key]) if key in archive else None for key in ("updater/iteration", "elapsed_time")
            )
            observation = json.loads(archive["observation"].item()) if "observation" in archive else {}
            return _State(iteration, elapsed_time, observation)
    except (FileRefused, TypeError, ValueError):
        return _State()
