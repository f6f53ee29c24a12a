"""Names of snapshot files, and the progress that they contain."""

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
"""Fields of a trainer and its updater that show the progress of training, alone or with a format."""


class ParsedName(NamedTuple):
    """The information in a file's name.

    Attributes:
        rank: The rank whose file it is; 0: the snapshot itself.
        progress: The numbers in the name that show the progress of training; empty if there are none.
    """

    rank: int
    progress: tuple[float, ...]


@dataclass(frozen=True)
class SnapshotNames:
    """The names of a run's snapshots.

    Attributes:
        filename: Format string of a snapshot's name. Fields such as ``{.updater.epoch}`` are read from the trainer;
            ``{iteration}`` is its iteration.
        shard: For snapshots of several processes: the format string, with ``{rank}`` and ``{iteration}``, for the files
            in which ranks other than 0 save their own state. `filename` may contain only ``{iteration}`` then.
    """

    filename: str
    shard: str | None = None

    def of_trainer(self, trainer: Any) -> str:
        """The name for a snapshot of the trainer's current state."""
        return self.filename.format(trainer, iteration=trainer.updater.iteration)

    def of_iteration(self, iteration: int, rank: int = 0) -> str:
        """The name of a rank's file; rank 0's file is the snapshot."""
        template = self.filename if rank == 0 or self.shard is None else self.shard
        return template.format(iteration=iteration, rank=rank)

    def parse(self, name: str) -> ParsedName | None:
        """Parse a name; None if it does not match. Hidden files, such as unfinished ones, never match."""
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
    """Return a name, or the function that returns it, with the rank appended, for ranks that save separately."""
    if callable(filename):
        return lambda trainer: f"{filename(trainer)}.{rank}"
    return f"{filename}.{rank}"


@cache
def _pattern(template: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """The pattern of names, and the groups that show the progress: the iteration, if the name contains it."""
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
