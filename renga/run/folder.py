"""The folder of a run: files of earlier runs in it, and the copy of the run file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from renga.dataset import write_preprocessing
from renga.run.run_file import Distribution, RunDescription
from renga.run.toml import dumps
from renga.training.snapshots import SnapshotNames, SnapshotStore
from renga_core.errors import RengaError
from renga_core.settings import read_toml
from renga_core.training import Extension, TrainerLike
from renga_serializers.atomic import atomic_write

__all__ = [
    "COPY",
    "PREPROCESSING",
    "SNAPSHOT_NAMES",
    "RunFile",
    "check_folder",
    "check_writable",
    "differences",
    "flat",
    "free_folder",
    "never",
    "not_a_run",
    "snapshot_store",
]

COPY = "run.toml"
PREPROCESSING = "preprocessing.json"
SNAPSHOT_NAMES = SnapshotNames("snapshot_iter_{iteration}.npz", "rank{rank}_of_snapshot_iter_{iteration}.npz")
"""File name of snapshots. Rank 0 of several processes uses the same name as a single process."""


def snapshot_store(folder: str | Path) -> SnapshotStore:
    """Return the snapshots in the folder of a run."""
    return SnapshotStore(folder, SNAPSHOT_NAMES)


def check_folder(run: RunDescription, *, resume: bool, overwrite: bool) -> None:
    """Check that a run to resume is there, or that no existing run would be overwritten.

    Raises:
        RengaError: The check failed; the message says what to do.
    """
    found = snapshot_store(run.out).find()
    where = _where(run)
    if resume and not found:
        raise RengaError(
            f"nothing to resume: there is no snapshot in {where}. Leave out --resume, or name another --out."
        )
    if found and not resume and not overwrite:
        raise RengaError(
            f"{where} holds a run already: {found[0].path.name}.\n"
            "Next: continue it with --resume, choose another folder with --out DIR, or delete it with --overwrite."
        )


def free_folder(folder: str) -> str:
    """Return the name of the folder for a run whose folder the user did not choose.

    The name is ``run.out``; if that folder holds a run already, the first free one of ``<name>-2``, ``<name>-3`` ….
    """
    if not snapshot_store(folder).find():
        return folder
    return next(name for name in (f"{folder}-{number}" for number in count(2)) if not os.path.lexists(name))


def _where(run: RunDescription) -> str:
    return f"run.out = '{run.out}' (from {run.origin('run.out')})"


def check_writable(run: RunDescription) -> None:
    """Check that the folder can be made and written.

    Raises:
        RengaError: It cannot; the message says what to do.
    """
    folder, where = Path(run.out), _where(run)
    there = next(path for path in (folder, *folder.resolve().parents) if path.exists())
    if not there.is_dir():
        raise RengaError(f"{where} cannot be a folder: {there} is a file. Next: choose another one with --out DIR.")
    try:
        TemporaryFile(dir=there).close()  # permissions do not tell of /proc, nor, to root, of much else
    except OSError as error:
        raise RengaError(
            f"{where} cannot be written: {error.strerror} ({there}). Next: choose another one with --out DIR."
        ) from None


def not_a_run(folder: str, lacks: str) -> RengaError:
    """The error about a path that is no folder of a run; `lacks` says what it does not contain."""
    path = Path(folder)
    why = f"there is {lacks} in it" if path.is_dir() else "it is a file" if path.exists() else "it does not exist"
    return RengaError(f"{folder} is not a folder of a run: {why}. Next: give a folder written by `renga train`.")


def differences(run: RunDescription) -> list[str]:
    """Compare a run with the run whose folder it resumes; return a line for each setting that differs.

    Ignores the length of the run and the settings for several processes.
    """
    path = Path(run.out, COPY)
    if not path.is_file():
        return []
    now, then = flat(run.as_document()), flat(read_toml(path))
    free = {"run.standard_extensions", "run.epochs", "run.out", "run.snapshot", "run.communicator"}
    free |= {"run.keep_newest", "run.keep_best", "run.keep_every_minutes"}
    free |= {f"distributed.{name}" for name in asdict(Distribution()) if name != "batch_size_per_rank"}
    return [
        f"{key} is now {now.get(key)!r}, and was {then.get(key)!r}"
        for key in sorted({*now, *then})
        if now.get(key) != then.get(key) and key not in free
    ]


def flat(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by full key, as a file contains them: arrays as lists."""
    found: dict[str, Any] = {}
    for name, value in document.items():
        if isinstance(value, Mapping):
            found.update({f"{name}.{key}": item for key, item in flat(value).items()})
        else:
            found[name] = _as_list(value)
    return found


def _as_list(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _as_list(item) for name, item in value.items()}
    return [_as_list(item) for item in value] if isinstance(value, (list, tuple)) else value


def never(trainer: object) -> bool:
    """A stateless trigger, for extensions that act only when training starts."""
    return False


class RunFile(Extension):
    """Writes a copy of the run file with all settings, and the preprocessing, to the run's folder when training starts.

    Args:
        run: The run.
        preprocessing: How the data set made inputs from raw values; None if it does not say.
    """

    on_every_rank = False

    def __init__(self, run: RunDescription, preprocessing: Any = None) -> None:
        self._run = run
        self._preprocessing = preprocessing

    def initialize(self, trainer: TrainerLike) -> None:
        """Write the copy, unless a resumed run ends at once: the copy describes what was trained.

        A resumed run has loaded its snapshot by now; if it was refused, nothing is written.
        """
        if trainer.updater.epoch_detail >= self._run.epochs:
            return
        with atomic_write(Path(trainer.out, COPY), "w") as file:
            file.write(dumps(self._run.as_document()))
        if self._preprocessing is not None:
            write_preprocessing(Path(trainer.out, PREPROCESSING), self._preprocessing)
