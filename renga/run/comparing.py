"""Comparing runs: settings that differ, and results."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from renga.run.folder import COPY, flat, not_a_run
from renga.run.sweep import TABLE, read_table
from renga_core.errors import RengaError
from renga_core.settings import read_toml

__all__ = ["Run", "differing", "figures_of", "find_runs"]

LOG = "log.jsonl"
PREFIX = "validation/main/"


@dataclass(frozen=True)
class Run:
    """The settings and the log of a run.

    Attributes:
        folder: The folder, as the user wrote it.
        settings: The values in its run file, by full key.
        log: The reported values, in order: a dictionary for each interval.
    """

    folder: str
    settings: dict[str, Any]
    log: list[dict[str, float]]

    def curve(self, key: str) -> tuple[list[float], list[float]]:
        """Return the epochs and values of `key`."""
        points = [(line["epoch"], line[key]) for line in self.log if key in line and "epoch" in line]
        return [epoch for epoch, _ in points], [value for _, value in points]

    def best(self, key: str, choose: Callable[..., Any]) -> tuple[float, float] | None:
        """Return the best value of `key` and its epoch, or None if there is no value; `choose` is `max` or `min`."""
        points = [(line[key], line.get("epoch", 0)) for line in self.log if key in line and line[key] == line[key]]
        found: tuple[float, float] | None = choose(points, key=lambda point: point[0], default=None)
        return found


def find_runs(folders: Sequence[str]) -> list[Run]:
    """Read runs; a folder of a sweep stands for all of its runs.

    Raises:
        RengaError: A folder holds no run, or the run has no log.
    """
    found: list[Run] = []
    for folder in folders:
        parts = [str(Path(folder, name)) for name, outcome in read_table(Path(folder)).items() if outcome.done]
        found += map(_read, parts or [folder])
    return found


def _read(folder: str) -> Run:
    settings, log = Path(folder, COPY), Path(folder, LOG)
    if not settings.is_file():
        raise not_a_run(folder, f"neither {COPY} nor {TABLE}")
    lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    if not lines:
        raise RengaError(
            f"{folder} has nothing in {LOG}: the run has not reported yet, or has no extension log_report."
        )
    return Run(folder, flat(read_toml(settings)), [json.loads(line) for line in lines])


def differing(runs: Sequence[Run]) -> list[str]:
    """The keys of settings that differ between runs, without output folders, which always differ."""
    keys = dict.fromkeys(key for run in runs for key in run.settings)
    return [
        key
        for key in keys
        if key != "run.out" and any(run.settings.get(key) != runs[0].settings.get(key) for run in runs)
    ]


def figures_of(runs: Sequence[Run]) -> list[str]:
    """The names of test values that all runs have reported; the log calls them ``validation/main/NAME``."""
    names = dict.fromkeys(key.removeprefix(PREFIX) for line in runs[0].log for key in line if key.startswith(PREFIX))
    return [name for name in names if all(any(PREFIX + name in line for line in run.log) for run in runs)]
