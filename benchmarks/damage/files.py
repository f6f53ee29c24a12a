"""Reads damaged files: each by itself, and as the newest snapshot of a run that continues."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.damage.harms import HARMS, swapped_members
from benchmarks.damage.subject import FORMATS, Format, State, make, saved_as
from renga_core.serializers import FileDamaged

__all__ = ["Files", "damage_files"]

_OLDER, _NEWER, _NEXT = 6, 7, 9


@dataclass
class Files:
    """Results for one kind of damage.

    Attributes:
        files: Number of files.
        reads: Number of reads: strict, not strict if the format supports that, and by a run that continues.
        wrong: A wrong state was loaded without an error.
        half: The file was refused, but a part of it was loaded.
        raised: Another exception than `FileDamaged` was raised.
        refused: A run did not continue, although the previous snapshot was intact.
        lost: A run continued from the previous snapshot, but deleted it at its next save.
        fell_back: A run continued from the previous snapshot, and reported it.
        same: The saved state was loaded, because the damage did not matter.
    """

    files: int = 0
    reads: int = 0
    wrong: int = 0
    half: int = 0
    raised: int = 0
    refused: int = 0
    lost: int = 0
    fell_back: int = 0
    same: int = 0

    @property
    def failed(self) -> bool:
        """Whether any result is wrong."""
        return any((self.wrong, self.half, self.raised, self.refused, self.lost))


class _Both(State):
    """Return a state with two similar arrays, which could be confused."""

    def set(self, iteration: int) -> None:
        super().set(iteration)
        self.other = self.b + 1

    def serialize(self, serializer: Any) -> None:
        super().serialize(serializer)
        self.other = serializer["other"]("b", self.other)


def damage_files(folder: Path, name: str, every: int = 1, seed: int = 0) -> dict[str, Files]:
    """Damage files of a format in all ways.

    Args:
        folder: Folder for files; empty at first.
        name: Name of the format.
        every: Use only every N-th damage.
        seed: Seed of the damage.
    """
    rng, form = random.Random(seed), FORMATS[name]
    saved = _Both()
    saved.set(_NEWER)
    form.save(folder / "by_itself", saved)
    alone = (folder / "by_itself").read_bytes()
    run = folder / "run"
    trainer, state, _ = make(run, 40, saved_as(name))
    run.mkdir()
    for iteration in (_OLDER, _NEWER):
        state.set(iteration)
        form.save(run / f"snapshot_iter_{iteration}", trainer)
    newest = (run / f"snapshot_iter_{_NEWER}").read_bytes()
    results = {}
    for title, harm in HARMS.items():
        results[title] = found = Files()
        for content in list(harm(alone, rng))[::every]:
            _read(folder / "by_itself", form, content, found)
        for content in list(harm(newest, rng))[::every]:
            _go_on(run, name, content, found)
    results["two arrays exchanged, one gone"] = found = Files()
    for content in swapped_members(name, alone):
        _read(folder / "by_itself", form, content, found)
    return results


def _read(path: Path, form: Format, content: bytes, found: Files) -> None:
    path.write_bytes(content)
    found.files += 1
    right = _Both()
    right.set(_NEWER)
    loaders: Iterable[Callable[[Path, Any], object] | None] = (form.load, form.load_loosely)
    for load in filter(None, loaders):
        found.reads += 1
        state = _Both()
        try:
            load(path, state)
        except FileDamaged:
            found.half += state != _Both()
        except Exception as error:
            print(f"RAISED: {type(error).__name__}: {error}")
            found.raised += 1
        else:
            found.wrong += state != right
            found.same += state == right


def _go_on(folder: Path, name: str, content: bytes, found: Files) -> None:
    (folder / f"snapshot_iter_{_NEWER}").write_bytes(content)
    found.files += 1
    found.reads += 1
    trainer, state, load = make(folder, 40, saved_as(name))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            load()
    except Exception as error:
        print(f"REFUSED: {type(error).__name__}: {error}")
        found.refused += 1
        return
    if not state.is_right() or state.iteration != (_OLDER if caught else _NEWER):
        found.wrong += 1
    elif caught:
        found.fell_back += 1
        state.set(_NEXT)
        trainer.get_extension("snapshot")(trainer)
        found.lost += not (folder / f"snapshot_iter_{_OLDER}").exists()
        (folder / f"snapshot_iter_{_NEXT}").unlink()
    else:
        found.same += 1
