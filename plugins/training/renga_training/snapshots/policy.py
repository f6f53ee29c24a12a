"""Policies for which snapshots are kept. With several policies, a snapshot is kept if one of them keeps it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from renga_training.snapshots.files import SnapshotFile

__all__ = ["Best", "Newest", "OneEvery", "Policy"]

_T = TypeVar("_T")


class Policy(Protocol):
    """Decides which snapshots to keep."""

    def choose(self, snapshots: Sequence[SnapshotFile]) -> Iterable[SnapshotFile]:
        """Return the snapshots to keep.

        Called after each save. Snapshots that it does not return may be removed.

        Args:
            snapshots: The snapshots of the run, newest first; the first was just saved. Damaged ones are not included.

        Raises:
            OSError: A file cannot be read now; then nothing is removed.
        """


@dataclass(frozen=True)
class Newest:
    """Keeps the newest snapshots.

    Attributes:
        n: The number of snapshots.

    Raises:
        ValueError: `n` is less than 1.
    """

    n: int

    def __post_init__(self) -> None:
        _check("Newest", self.n)

    def choose(self, snapshots: Sequence[SnapshotFile]) -> Sequence[SnapshotFile]:
        """Return the first ones."""
        return snapshots[: self.n]


@dataclass(frozen=True)
class Best:
    """Keeps the snapshots with the best values, as reported in the same iteration, for example by an evaluator.

    The value is read from the trainer's snapshot, which must be an npz file. Of equal values, the earlier one is
    better. Snapshots without the value, or with NaN, are not kept.

    Attributes:
        key: Name of the value, ``"validation/main/accuracy"``.
        n: The number of snapshots.
        mode: ``"max"``: the largest is best; ``"min"``: the smallest is best; ``"auto"``: the largest if the name
            contains ``accuracy``.

    Raises:
        ValueError: `mode` is invalid, or `n` is less than 1.
    """

    key: str
    n: int = 1
    mode: Literal["auto", "min", "max"] = "auto"

    def __post_init__(self) -> None:
        _check("Best", self.n)
        if self.mode not in ("auto", "min", "max"):
            raise ValueError(f"mode must be 'auto', 'min' or 'max', not {self.mode!r}")

    def choose(self, snapshots: Sequence[SnapshotFile]) -> list[SnapshotFile]:
        """Return the best ones, by the values in the files."""
        found = [(each.observation[self.key], each) for each in reversed(snapshots) if self.key in each.observation]
        if not found and snapshots:
            known = ", ".join(sorted(snapshots[0].observation)) or "nothing"
            warnings.warn(
                f"Best({self.key!r}) keeps no snapshot: none contains this value; the newest contains {known}",
                stacklevel=2,
            )
        return [each for _, each in self.rank(found)]

    def rank(self, valued: Iterable[tuple[float, _T]]) -> list[tuple[float, _T]]:
        """Return the best of the given items with their values, the best first; of equals, the first given."""
        sign = -1 if self.mode == "max" or (self.mode == "auto" and "accuracy" in self.key) else 1
        ranked = sorted((pair for pair in valued if not math.isnan(pair[0])), key=lambda pair: sign * pair[0])
        return ranked[: self.n]


@dataclass(frozen=True)
class OneEvery:
    """Keeps the first snapshot, then one for each interval of this many minutes of training.

    It uses the training time in the trainer's snapshots (npz), not the file system's times. If some files have no
    training time, the file system's times are used.

    Attributes:
        minutes: Length of the interval.

    Raises:
        ValueError: `minutes` is not positive.
    """

    minutes: float

    def __post_init__(self) -> None:
        if not self.minutes > 0:
            raise ValueError(f"OneEvery(minutes) must be more than 0, not {self.minutes}")

    def choose(self, snapshots: Sequence[SnapshotFile]) -> list[SnapshotFile]:
        """Return the first, and each that is late enough."""
        times = [each.elapsed_time for each in snapshots]
        seconds = [time for time in times if time is not None]
        if len(seconds) < len(snapshots):
            seconds = [each.modified / 1e9 for each in snapshots]
        chosen: list[SnapshotFile] = []
        latest = -math.inf
        for each, second in reversed(list(zip(snapshots, seconds, strict=True))):
            if second - latest >= 60 * self.minutes:
                chosen.append(each)
                latest = second
        return chosen


def _check(what: str, n: int) -> None:
    if n < 1:
        raise ValueError(f"{what} must keep at least one file, not {n}")
