"""`LogReport`: means over intervals, in memory and in files."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from renga_core.errors import RengaError
from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, TrainerLike, TriggerLike
from renga_serializers.atomic import atomic_write
from renga_training.triggers.interval_mean import IntervalMean

__all__ = ["LogReport"]

_FIRST = ("epoch", "iteration", "elapsed_time")


class LogReport(Extension):
    """Averages reported values over each interval, and stores the means in `log` and in two files.

    ``log.jsonl`` has one JSON object per line, ``log.csv`` one row per entry. Both grow at the end of each interval,
    and are complete at any time. A resumed run removes entries that were written after its snapshot. In ``log.jsonl``,
    NaN and infinity are null.

    Args:
        keys: Names to store; None: all.
        trigger: Ends an interval.
        postprocess: Called with each entry, a dictionary, which it may change before it is stored.
        filename: Name of the files in the trainer's folder, without suffix; None: write no files.

    Attributes:
        log: The entries: ``epoch``, ``iteration``, ``elapsed_time`` (seconds), and the mean of each key.
    """

    on_every_rank = False

    def __init__(
        self,
        keys: Sequence[str] | None = None,
        trigger: TriggerLike = (1, "epoch"),
        postprocess: Callable[[dict[str, Any]], object] | None = None,
        filename: str | None = "log",
    ) -> None:
        self.log: list[dict[str, Any]] = []
        self._mean = IntervalMean(keys, trigger)
        self._postprocess = postprocess
        self._filename = filename
        self._columns: list[str] = []

    def initialize(self, trainer: TrainerLike) -> None:
        """Create the files: empty, or with the log of a resumed run.

        Raises:
            RengaError: Another `LogReport` of this trainer writes the same files; nothing was written.
        """
        if self._filename is not None:
            for name, other in trainer.extensions.items():
                if isinstance(other, LogReport) and other is not self and other._filename == self._filename:
                    raise RengaError(
                        f"extensions {self.name!r} and {name!r} both write {self._paths(trainer.out)[0]}. "
                        "Give one of them another `filename`, or leave it out"
                    )
        self._rewrite(trainer.out)

    def __call__(self, trainer: TrainerLike) -> None:
        """Add this iteration's values; store and write the means at the end of an interval."""
        entry = self._add(trainer)
        if entry is None:
            return
        if set(entry) <= set(self._columns):
            self._append(trainer.out, entry)
        else:
            self._rewrite(trainer.out)

    def follow(self, trainer: TrainerLike) -> None:
        """Store the same entries as rank 0, and write nothing."""
        self._add(trainer)

    def _add(self, trainer: TrainerLike) -> dict[str, Any] | None:
        """Add this iteration's values; at the end of an interval, store and return the means."""
        means = self._mean(trainer)
        if means is None:
            return None
        updater = trainer.updater
        entry: dict[str, Any] = {
            "epoch": updater.epoch,
            "iteration": updater.iteration,
            "elapsed_time": trainer.elapsed_time,
            **means,
        }
        if self._postprocess is not None:
            self._postprocess(entry)
        self.log.append(entry)
        return entry

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the entries so far, and the current interval."""
        self._mean.serialize(serializer)
        self.log = json.loads(serializer("log", json.dumps(self.log)))

    def _append(self, out: str, entry: dict[str, Any]) -> None:
        if self._filename is None:
            return
        # One short write to a file opened for appending, which is complete or absent.
        for path, line in zip(self._paths(out), (_json_line(entry), self._csv_lines([entry])), strict=True):
            with open(path, "a", encoding="utf-8", newline="") as file:
                file.write(line)

    def _rewrite(self, out: str) -> None:
        keys = dict.fromkeys(key for entry in self.log for key in entry)
        self._columns = sorted(keys, key=lambda key: key not in _FIRST)
        if self._filename is None:
            return
        header = _csv_line(self._columns) if self._columns else ""
        texts = "".join(map(_json_line, self.log)), header + self._csv_lines(self.log)
        for path, text in zip(self._paths(out), texts, strict=True):
            with atomic_write(path) as file:
                file.write(text.encode())

    def _csv_lines(self, entries: Sequence[dict[str, Any]]) -> str:
        return "".join(_csv_line([entry.get(key, "") for key in self._columns]) for entry in entries)

    def _paths(self, out: str) -> tuple[Path, Path]:
        stem = os.path.join(out, self._filename or "")
        return Path(stem + ".jsonl"), Path(stem + ".csv")


def _json_line(entry: dict[str, Any]) -> str:
    finite = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in entry.items()}
    return json.dumps(finite, ensure_ascii=False) + "\n"


def _csv_line(values: Sequence[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()
