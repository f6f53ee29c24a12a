"""Output for people and for programs: aligned tables, JSON, errors and warnings."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from renga_core.errors import RengaError

__all__ = ["print_error", "print_json", "print_table", "warnings_in_one_line"]


def print_table(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> None:
    """Print rows in aligned columns. On a terminal the last column is wrapped to the terminal's width.

    Args:
        rows: Cells; all rows have the same length.
        head: The header row.
    """
    table = [head, *rows] if head else list(rows)
    if not table:
        return
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    indent = sum(widths[:-1]) + 2 * (len(widths) - 1)
    room = shutil.get_terminal_size().columns - indent if sys.stdout.isatty() else 0
    for row in table:
        first = "  ".join(cell.ljust(width) for cell, width in zip(row[:-1], widths[:-1], strict=True))
        last = textwrap.wrap(row[-1], room) if room >= 20 else [row[-1]]
        lines = [f"{first}  {last[0] if last else ''}", *(" " * indent + more for more in last[1:])]
        print("\n".join(line.rstrip() for line in lines))


def print_json(value: Any) -> None:
    """Print `value` as indented JSON; values that JSON cannot represent are written as text."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_error(error: BaseException, with_traceback: bool) -> None:
    """Print an error and its notes to stderr; with a traceback only on request."""
    if with_traceback:
        traceback.print_exception(error)
    message = str(error)
    if isinstance(error, KeyError) and " " in message:  # a sentence, which Python would print in quotes like a key
        message = str(error.args[0])
    if not isinstance(error, RengaError):
        # Not an error of Renga's own: its type says more than its text.
        message = f"{type(error).__name__}: {message}" if message else type(error).__name__
        if not with_traceback:
            message += "\nTo see where it was raised, add --traceback."
    print("\n".join([f"renga: error: {message}", *getattr(error, "__notes__", [])]), file=sys.stderr)


@contextmanager
def warnings_in_one_line() -> Iterator[None]:
    """Print warnings as «renga: warning: …» while the block runs, without the line of source that raised them."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print(f"renga: warning: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
