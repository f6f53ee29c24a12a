"""Sweeps: combinations of settings, and the result of each."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, get_args, get_origin

from renga_core.errors import RengaError
from renga_core.settings.schema import find_key
from renga_serializers.atomic import atomic_write

__all__ = ["TABLE", "Outcome", "combinations", "label_of", "read_table", "split_values", "write_table"]

TABLE = "sweep.csv"
_DONE = "done"
_OPENING, _CLOSING = "[{", "]}"


@dataclass
class Outcome:
    """The result of one combination.

    Attributes:
        settings: The varied settings by key, as text.
        folder: Name of the run's folder inside the sweep's folder.
        status: ``"done"``, or the error.
        figures: The values of the last evaluation, by name.
    """

    settings: dict[str, str]
    folder: str
    status: str = ""
    figures: dict[str, float] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        """Whether the run has finished."""
        return self.status == _DONE


def split_values(key: str, text: str) -> list[str]:
    """Return the values in ``--set key=text``, which commas separate.

    Commas inside brackets, braces and quotes belong to a value. If the setting is a list, commas separate its elements;
    write several lists in brackets: ``[1, 2], [3, 4]``.
    """
    parts = [part.strip() for part in _split(text)]
    if len(parts) < 2 or "" in parts:
        return [text]
    row = find_key(key)
    if row is not None and _holds_list(row.type) and not all(part.startswith("[") for part in parts):
        return [text]
    return parts


def _split(text: str) -> list[str]:
    parts, depth, quote = [""], 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        else:
            depth += (char in _OPENING) - (char in _CLOSING)
        if char == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _holds_list(annotation: Any) -> bool:
    kinds = (annotation, *get_args(annotation))
    return any(get_origin(kind) in (tuple, list) for kind in kinds)


def combinations(assignments: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """Return all combinations of settings that have several values; an empty list if no setting has several.

    Raises:
        RengaError: The output folder has several values.
    """
    varied = {key: values for key, text in assignments if len(values := split_values(key, text)) > 1}
    if "run.out" in varied:
        raise RengaError("run.out cannot be varied: each run of a sweep has a folder of its own in it.")
    return [dict(zip(varied, values, strict=True)) for values in product(*varied.values())] if varied else []


def label_of(settings: dict[str, str]) -> str:
    """The name of a run's folder: ``optimizer.alpha=0.1,run.seed=2``, without invalid characters."""
    return ",".join(f"{key}={re.sub(r'[^A-Za-z0-9_.+-]+', '_', value).strip('_')}" for key, value in settings.items())


def write_table(folder: Path, outcomes: Sequence[Outcome]) -> None:
    """Write the results so far as CSV."""
    figures = list(dict.fromkeys(name for each in outcomes for name in each.figures))
    keys = list(outcomes[0].settings)
    with atomic_write(folder / TABLE, "w") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*keys, *figures, "status", "folder"])
        for each in outcomes:
            values = [each.figures.get(name, "") for name in figures]
            writer.writerow([*each.settings.values(), *values, each.status, each.folder])


def read_table(folder: Path) -> dict[str, Outcome]:
    """Read the table of `write_table`, by folder; empty if there is no table."""
    path = folder / TABLE
    if not path.is_file():
        return {}
    found = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, status = row.pop("folder", ""), row.pop("status", "")
            settings = {key: value for key, value in row.items() if "." in key}
            figures = {key: float(value) for key, value in row.items() if "." not in key and value}
            found[name] = Outcome(settings, name, status, figures)
    return found
