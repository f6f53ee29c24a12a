"""A snapshot's file: how far training had come, and what else of the trainer is told by it."""

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
    """A file.

    Attributes:
        path: Where it is.
        progress: How far training had come; of one name all are of one kind. None if neither name nor file says it.
    """

    path: Path
    progress: tuple[float, ...] | None

    @classmethod
    def at(cls, path: Path, progress: tuple[float, ...]) -> SnapshotFile:
        """The file at a path. If its name says no progress, the iteration in it does, if it is a trainer's."""
        if progress:
            return cls(path, progress)
        try:
            iteration = _read(path).iteration
        except OSError:
            iteration = None
        return cls(path, None if iteration is None else (iteration,))

    @property
    def modified(self) -> int:
        """When it was last changed, in nanoseconds, as the file system says; 0 if there is no such file."""
        return _stat(self.path)[0]

    @property
    def elapsed_time(self) -> float | None:
        """Seconds of training that are behind it; None if it is not a trainer's, in npz. `OSError`: it is not known."""
        return _read(self.path).elapsed_time

    @property
    def observation(self) -> Mapping[str, float]:
        """What was reported in its iteration; empty if it is not a trainer's, in npz. `OSError`: it is not known."""
        return _read(self.path).observation


class _State(NamedTuple):
    """What of a trainer's state tells about the run (`Trainer.serialize`)."""

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
    """Read a file, once as long as it stays as it is. What is damaged tells nothing."""
    try:
        with open_archive(path) as archive:
            iteration, elapsed_time = (
                float(archive[key]) if key in archive else None for key in ("updater/iteration", "elapsed_time")
            )
            observation = json.loads(archive["observation"].item()) if "observation" in archive else {}
            return _State(iteration, elapsed_time, observation)
    except (FileRefused, TypeError, ValueError):
        return _State()
