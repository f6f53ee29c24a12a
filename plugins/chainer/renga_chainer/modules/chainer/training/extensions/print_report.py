"""``PrintReport``: the log as a table in Chainer's form."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from renga_chainer.modules.chainer.training.extensions.log_report import LogReport
from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension

__all__ = ["PrintReport"]

_LEAST_WIDTH = 10
_ERASE_BELOW = "\033[J"
"""Number of lines of the progress bar below."""


class PrintReport(Extension):
    """Prints each new entry of a `LogReport` as a row.

    Args:
        entries: Keys of the columns.
        log_report: The `LogReport` to call, or the name of one in the trainer.
        out: File to print to; standard output if None.
    """

    def __init__(self, entries: Sequence[str], log_report: str | LogReport = "LogReport", out: Any = None) -> None:
        self._entries = list(entries)
        self._log_report = log_report
        self._out = sys.stdout if out is None else out
        self._log_len = 0
        self._widths = [max(_LEAST_WIDTH, len(entry)) for entry in entries]
        self._header: str | None = "  ".join(map(str.ljust, self._entries, self._widths)) + "\n"

    def __call__(self, trainer: Any) -> None:
        """Print the new entries of the log."""
        if self._header is not None:
            self._out.write(self._header)
            self._header = None
        report = self._log_report
        if isinstance(report, str):
            report = trainer.get_extension(report)
        elif isinstance(report, LogReport):
            report(trainer)
        else:
            raise TypeError(f"log report has a wrong type {type(report)}")
        for entry in report.log[self._log_len :]:
            self._out.write(_ERASE_BELOW)
            self._print(entry)
        self._log_len = len(report.log)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the `LogReport`, if it belongs to this extension."""
        if isinstance(self._log_report, LogReport):
            self._log_report.serialize(serializer["_log_report"])

    def _print(self, observation: dict[str, Any]) -> None:
        for key, width in zip(self._entries, self._widths, strict=True):
            self._out.write(f"{observation[key]:<{width}g}  " if key in observation else " " * (width + 2))
        self._out.write("\n")
        if hasattr(self._out, "flush"):
            self._out.flush()
