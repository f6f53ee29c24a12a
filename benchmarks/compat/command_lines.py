"""Programs with options: runs each command line of their docstrings, one after another in one folder.

A command line follows a ``$``, as in ``$ train_mnist.py --device -1 --epoch 2``. The outputs are compared without
times; then the contents of the folder: the names of the files, and the entries of each ``log``.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from benchmarks.compat.stage import Performance

__all__ = ["Runner", "command_lines", "run_command_lines", "without_times"]

CONTROL = re.compile("\033\\[\\d*[A-Z]")
"""Escape sequences that move the cursor of a terminal."""
PROGRESS = (" iters/sec. Estimated", "this epoch [", "     total [", " epoch / ")
"""Text that occurs only in lines of a progress bar."""


class Runner(Protocol):
    """Something that runs programs: a `Stage`, or `Ranks`."""

    def run(self, program: Path, arguments: Sequence[str] = (), folder: Path | None = None) -> Performance:
        """Run a program to its end."""
        ...


def command_lines(program: Path) -> list[list[str]]:
    """Return the arguments of each command line in a program's docstring.

    Raises:
        ValueError: A command line is for another program.
    """
    lines = (ast.get_docstring(ast.parse(program.read_text())) or "").splitlines()
    words = [shlex.split(line.strip().removeprefix("$")) for line in lines if line.strip().startswith("$ ")]
    if any(line[0] != program.name for line in words):
        raise ValueError(f"{program.name} has command lines of another program in its docstring")
    return [line[1:] for line in words]


def run_command_lines(runner: Runner, program: Path) -> Performance:
    """Run all command lines in a new folder, up to the first that fails.

    Raises:
        ValueError: There are no command lines.
    """
    output: list[str] = []
    lines = command_lines(program)
    if not lines:
        raise ValueError(f"{program.name} has no command lines in its docstring")
    with tempfile.TemporaryDirectory() as scratch:
        for arguments in lines:
            done = runner.run(program, arguments, Path(scratch))
            output += [f"$ {shlex.join([program.name, *arguments])}", *without_times(done.output)]
            if done.status:
                break
        output += _left_in(Path(scratch))
    return Performance(done.status, "\n".join(output) + "\n", done.errors)


def without_times(printed: str) -> Iterator[str]:
    """Return lines without progress bars, and without the elapsed times in reports."""
    column: int | None = None
    for line in printed.splitlines():
        text = CONTROL.sub("", line)
        if any(mark in text for mark in PROGRESS) or (text != line and not text.strip()):
            continue
        if "elapsed_time" in text:
            column = text.index("elapsed_time")
        elif not text[:1].isdigit():
            yield text.rstrip()
            continue
        yield text[:column].rstrip()


def _left_in(folder: Path) -> Iterator[str]:
    """List the files, and the entries of logs."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield str(path.relative_to(folder))
        if path.name == "log":
            for entry in json.loads(path.read_text()):
                yield " ".join(f"{key} {value}" for key, value in sorted(entry.items()) if key != "elapsed_time")
