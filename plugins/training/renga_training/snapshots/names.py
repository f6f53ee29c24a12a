"""What the files of snapshots are called, and what their names say."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, overload

__all__ = ["ParsedName", "SnapshotNames", "with_rank"]

_WHOLE = r"0|[1-9][0-9]*"
_WHOLE_FORMATTED = r" *[0-9][0-9,_]*"
_REAL = r" *[0-9][0-9,_]*(?:\.[0-9]+)?(?:e[-+][0-9]+)?"
_NUMBERS = {
    "iteration": (_WHOLE, _WHOLE_FORMATTED),
    "epoch": (_WHOLE, _WHOLE_FORMATTED),
    "epoch_detail": (_REAL, _REAL),
    "elapsed_time": (_REAL, _REAL),
}
"""What of a trainer and its updater says how far training has come, and how it is written: alone, or by a format."""


class ParsedName(NamedTuple):
    """What the name of a file says.

    Attributes:
        rank: Whose file it is; 0: the snapshot itself.
        progress: The numbers in the name that say how far training had come; empty if there are none.
    """

    rank: int
    progress: tuple[float, ...]


@dataclass(frozen=True)
class SnapshotNames:
    """The names of one run's snapshots.

    Attributes:
        filename: Format string of a snapshot's name. ``{.updater.epoch}`` and the like are taken from the trainer;
            ``{iteration}`` is its iteration.
        shard: Where a snapshot is of several processes: format string, with ``{rank}`` and ``{iteration}``, of the
            files in which ranks other than 0 keep what they have besides; `filename` has only ``{iteration}`` then.
    """

    filename: str
    shard: str | None = None

    def of_trainer(self, trainer: Any) -> str:
        """The name of the snapshot of a trainer as it is now."""
        return self.filename.format(trainer, iteration=trainer.updater.iteration)

    def of_iteration(self, iteration: int, rank: int = 0) -> str:
        """The name of a rank's file; rank 0's is the snapshot."""
        template = self.filename if rank == 0 or self.shard is None else self.shard
        return template.format(iteration=iteration, rank=rank)

    def parse(self, name: str) -> ParsedName | None:
        """Return what a name says; None if it is not of these. What is hidden, as unfinished files are, never is."""
        if name.startswith(".") and not self.filename.startswith("."):
            return None
        for template in filter(None, (self.filename, self.shard)):
            pattern, fields = _pattern(template)
            if found := pattern.fullmatch(name):
                progress = tuple(float(re.sub("[ ,_]", "", found[field])) for field in fields)
                return ParsedName(int(found.groupdict().get("rank", 0)), progress)
        return None


@overload
def with_rank(filename: str, rank: int) -> str: ...
@overload
def with_rank(filename: Callable[[Any], str], rank: int) -> Callable[[Any], str]: ...
def with_rank(filename: str | Callable[[Any], str], rank: int) -> str | Callable[[Any], str]:
    """Return the name, or the function that gives it, with a rank behind it: where each rank saves by itself."""
    if callable(filename):
        return lambda trainer: f"{filename(trainer)}.{rank}"
    return f"{filename}.{rank}"


@cache
def _pattern(template: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """What names look like, and which groups say how far training had come: the iteration, if it is there."""
    pattern, fields = "", []
    for text, field, spec, _ in string.Formatter().parse(template):
        pattern += re.escape(text)
        if field is None:
            continue
        kind = field.rpartition(".")[2]
        if kind in fields or (kind not in _NUMBERS and kind != "rank"):
            pattern += ".+"
        elif kind == "rank":
            pattern += f"(?P<rank>{_WHOLE})"
        else:
            fields.append(kind)
            pattern += f"(?P<{kind}>{_NUMBERS[kind][bool(spec)]})"
    return re.compile(pattern), ("iteration",) if "iteration" in fields else tuple(fields)
