"""Which snapshots are kept. Of several policies, each keeps its own: `store` removes what none of them keeps."""

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
    """Says which snapshots to keep."""

    def choose(self, snapshots: Sequence[SnapshotFile]) -> Iterable[SnapshotFile]:
        """Return those to keep.

        It is asked after each save. What it has not chosen may be gone the next time.

        Args:
            snapshots: Of one run, the newest first: what has just been saved, then those before it. Those that were
                found damaged are not among them.

        Raises:
            OSError: A file cannot be read now. Nothing is removed then.
        """


@dataclass(frozen=True)
class Newest:
    """Keeps the newest.

    Attributes:
        n: How many.

    Raises:
        ValueError: `n` is less than 1.
    """

    n: int

    def __post_init__(self) -> None:
        _check("Newest", self.n)

    def choose(self, snapshots: Sequence[SnapshotFile]) -> Sequence[SnapshotFile]:
        """The first ones."""
        return snapshots[: self.n]


@dataclass(frozen=True)
class Best:
    """Keeps the snapshots with the best of a value that was reported in the same iteration, such as by an evaluator.

    It goes by the observation in a trainer's snapshot, which must be in npz. Of equals, the earlier is the better. One
    in which the value is not, or NaN, is not kept.

    Attributes:
        key: Name of the value, ``"validation/main/accuracy"``.
        n: How many.
        mode: ``"max"``: the largest is the best; ``"min"``: the smallest; ``"auto"``: the largest if ``accuracy`` is in
            the name.

    Raises:
        ValueError: There is no such mode, or `n` is less than 1.
    """

    key: str
    n: int = 1
    mode: Literal["auto", "min", "max"] = "auto"

    def __post_init__(self) -> None:
        _check("Best", self.n)
        if self.mode not in ("auto", "min", "max"):
            raise ValueError(f"mode is 'auto', 'min' or 'max', not {self.mode!r}")

    def choose(self, snapshots: Sequence[SnapshotFile]) -> list[SnapshotFile]:
        """The best ones, by what they say themselves."""
        found = [(each.observation[self.key], each) for each in reversed(snapshots) if self.key in each.observation]
        if not found and snapshots:
            known = ", ".join(sorted(snapshots[0].observation)) or "nothing"
            warnings.warn(
                f"Best({self.key!r}) keeps no snapshot: none holds a value of that name; the newest holds {known}",
                stacklevel=2,
            )
        return [each for _, each in self.rank(found)]

    def rank(self, valued: Iterable[tuple[float, _T]]) -> list[tuple[float, _T]]:
        """Return the best of what has been given with its value, the best first; of equals, the first given."""
        sign = -1 if self.mode == "max" or (self.mode == "auto" and "accuracy" in self.key) else 1
        ranked = sorted((pair for pair in valued if not math.isnan(pair[0])), key=lambda pair: sign * pair[0])
        return ranked[: self.n]


@dataclass(frozen=True)
class OneEvery:
    """Keeps one snapshot per this many minutes of training, beginning with the first.

    It goes by the time that training has taken, which is in a trainer's snapshot (npz), so what the file system says
    does not count. Where that is not in all files, the times of the files have to do.

    Attributes:
        minutes: How many.

    Raises:
        ValueError: It is not more than 0.
    """

    minutes: float

    def __post_init__(self) -> None:
        if not self.minutes > 0:
            raise ValueError(f"OneEvery(minutes) is more than 0, not {self.minutes}")

    def choose(self, snapshots: Sequence[SnapshotFile]) -> list[SnapshotFile]:
        """The first, and each that is late enough."""
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
        raise ValueError(f"{what} keeps at least one file, not {n}")
