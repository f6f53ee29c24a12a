"""Measured times of calls of functions and links."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TextIO

__all__ = ["CallTimes"]

UNITS = {"sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class CallTimes:
    """Times of calls by name; calls may be nested.

    Attributes:
        call_history: Name and seconds of each call, in the order in which calls ended.
        of: What is called, for the header of the report.
    """

    of: str

    def __init__(self) -> None:
        self.call_history: list[tuple[str, float]] = []
        self._running: list[float] = []
        self._total = 0.0

    def total_time(self) -> float:
        """Seconds of all calls; nested calls are not counted twice."""
        return self._total

    def summary(self) -> dict[str, dict[str, float]]:
        """By name, a dictionary: ``elapsed_time`` in seconds and ``occurrence``, the number of calls."""
        found: dict[str, dict[str, float]] = {}
        for name, seconds in self.call_history:
            row = found.setdefault(name, {"elapsed_time": 0.0, "occurrence": 0})
            row["elapsed_time"] += seconds
            row["occurrence"] += 1
        return found

    def print_report(self, unit: str = "auto", file: TextIO | None = None) -> None:
        """Print the summary as a table.

        Args:
            unit: ``"sec"``, ``"ms"``, ``"us"`` or ``"ns"``; ``"auto"``: one unit, from the longest time;
                ``"auto_foreach"``: a unit for each time.
            file: Output stream; None: standard output.

        Raises:
            ValueError: There is no such unit.
        """
        if unit not in (*UNITS, "auto", "auto_foreach"):
            raise ValueError(f"unit is {unit!r}, but must be one of {', '.join(UNITS)}, auto, auto_foreach")
        found = self.summary()
        longest = max([row["elapsed_time"] for row in found.values()], default=0.0)
        rows = [[f"{self.of}Name", "ElapsedTime", "Occurrence"]]
        for name, row in found.items():
            seconds = row["elapsed_time"]
            chosen = {"auto": _suiting(longest), "auto_foreach": _suiting(seconds)}.get(unit, unit)
            rows.append([name, f"{seconds / UNITS[chosen]:.2f}{chosen}", str(int(row["occurrence"]))])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for first, *others in rows:
            cells = [first.ljust(widths[0]), *[cell.rjust(w) for cell, w in zip(others, widths[1:], strict=True)]]
            print("  ".join(cells), file=file or sys.stdout)

    def _start(self) -> None:
        self._running.append(perf_counter())

    def _stop(self, name: str) -> None:
        seconds = perf_counter() - self._running.pop()
        self.call_history.append((name, seconds))
        if not self._running:
            self._total += seconds


def _suiting(seconds: float) -> str:
    """The largest unit in which the time is at least 1."""
    return next((unit for unit, size in UNITS.items() if seconds >= size), "ns")
