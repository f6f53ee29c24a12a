"""`PrintReport`: the log as a table on the screen."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from itertools import groupby
from typing import Any, TextIO

from renga_core.errors import did_you_mean
from renga_core.training import Extension, TrainerLike
from renga_training.extensions.log_report import LogReport

__all__ = ["PrintReport"]

_ROWS_PER_HEADER = 50
_GAP = "  "
_LEAST_WIDTH = 6


class PrintReport(Extension):
    """Prints each new entry of a `LogReport` as a row of a table.

    The header has two lines: the observer, and the name of the value below it. It is repeated after fifty rows::

                             main        validation/main
     epoch  iteration    loss  accuracy    loss  accuracy  elapsed_time
         1         24  1.6789    0.5312  0.9431    0.8222           0.4

    Args:
        entries: Names of the columns; None: all names in the log, with new columns for new names. Names that are
            missing in the first entry give a warning.
        log_report: The `LogReport`, or its name in the trainer.
        out: Output stream; None: standard output.
    """

    on_every_rank = False

    def __init__(
        self, entries: Sequence[str] | None = None, log_report: str | LogReport = "LogReport", out: TextIO | None = None
    ) -> None:
        self._entries = None if entries is None else list(entries)
        self._log_report = log_report
        self._out = out
        self._table: _Table | None = None
        self._printed = 0
        self._since_header = 0
        self._checked = False

    def initialize(self, trainer: TrainerLike) -> None:
        """Start a new table. A resumed run does not repeat earlier rows.

        Raises:
            KeyError: The trainer has no such `LogReport`.
        """
        self._printed = len(self._find_log(trainer))

    def __call__(self, trainer: TrainerLike) -> None:
        """Print the new entries of the log."""
        log = self._find_log(trainer)
        for entry in log[self._printed :]:
            keys = self._entries
            if keys is None:
                known = self._table.keys if self._table is not None else []
                # The time is the last column, because it is the least important.
                keys = sorted(dict.fromkeys([*known, *entry]), key="elapsed_time".__eq__)
            if self._table is None or self._table.keys != keys or self._since_header == _ROWS_PER_HEADER:
                self._table = _Table(keys)
                self._since_header = 0
                self._print(self._table.header())
            self._print(self._table.row(entry))
            self._since_header += 1
            self._warn_of_empty_columns(log)
        self._printed = len(log)

    def follow(self, trainer: TrainerLike) -> None:
        """Mark the entries as printed."""
        self._printed = len(self._find_log(trainer))

    def _warn_of_empty_columns(self, log: list[dict[str, Any]]) -> None:
        if self._checked:
            return
        self._checked = True
        there = {key for entry in log for key in entry}
        absent = [key for key in self._entries or () if key not in there]
        if absent:
            hints = "".join(f"{did_you_mean(key, there)}" for key in absent)
            warnings.warn(
                f"PrintReport: the log has no {' or '.join(map(repr, absent))} so far.{hints} "
                f"It has: {', '.join(sorted(there))}.",
                stacklevel=2,
            )

    def _find_log(self, trainer: TrainerLike) -> list[dict[str, Any]]:
        report = self._log_report
        if isinstance(report, str):
            try:
                report = trainer.get_extension(report)
            except KeyError:
                raise KeyError(
                    f"PrintReport needs an extension named {report!r}, which this trainer does not have. Next: "
                    "add log_report (LogReport) too"
                ) from None
        return report.log

    def _print(self, text: str) -> None:
        out = self._out or sys.stdout
        if "tqdm" in sys.modules:
            # Print above a progress bar on the same terminal.
            sys.modules["tqdm"].tqdm.write(text, file=out)
        else:
            print(text, file=out)
        out.flush()


class _Table:
    """The widths of the columns, and their headers."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = list(keys)
        self._names = [key.rpartition("/")[2] for key in keys]
        self._widths = [max(len(name), _LEAST_WIDTH) for name in self._names]
        # Neighbouring columns of one observer share a heading: (observer, first column, number of columns).
        self._groups: list[tuple[str, int, int]] = []
        for observer, group in groupby(range(len(self.keys)), key=lambda i: self.keys[i].rpartition("/")[0]):
            columns = list(group)
            self._groups.append((observer, columns[0], len(columns)))
            missing = len(observer) - self._width(columns[0], len(columns))
            self._widths[columns[-1]] += max(missing, 0)

    def header(self) -> str:
        names = _GAP.join(name.rjust(width) for name, width in zip(self._names, self._widths, strict=True))
        if not any(observer for observer, _, _ in self._groups):
            return names
        observers = _GAP.join(observer.center(self._width(first, count)) for observer, first, count in self._groups)
        return f"{observers.rstrip()}\n{names}"

    def row(self, entry: dict[str, Any]) -> str:
        cells = (_cell(key, entry.get(key)) for key in self.keys)
        return _GAP.join(cell.rjust(width) for cell, width in zip(cells, self._widths, strict=True))

    def _width(self, first: int, count: int) -> int:
        return sum(self._widths[first : first + count]) + len(_GAP) * (count - 1)


def _cell(key: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    if key == "elapsed_time":
        return f"{value:.1f}"
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e4 else f"{value:.4g}"
