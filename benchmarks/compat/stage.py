"""A process that runs programs, one after another, with Chainer or with Renga."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from benchmarks.environments import ROOT, process_environment

__all__ = ["Performance", "Stage"]


@dataclass(frozen=True)
class Performance:
    """Result of a program: its exit status (negative: the signal that ended it), and its output."""

    status: int
    output: str
    errors: str


class Stage:
    """Runs `benchmarks.compat.forker` for one library, until the ``with`` block ends.

    Args:
        library: ``chainer`` or ``renga``.
        python: Interpreter with the library.
    """

    def __init__(self, library: str, python: str) -> None:
        self.library, self.python = library, python
        self._process = subprocess.Popen(
            [python, "-W", "ignore", "-m", "benchmarks.compat.forker", library],
            cwd=ROOT,
            env=process_environment(python, 1, {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, program: Path, arguments: Sequence[str] = (), folder: Path | None = None) -> Performance:
        """Run a program to its end.

        Args:
            program: Path of the program.
            arguments: Command line arguments.
            folder: Working directory; that of this process if None.

        Raises:
            RuntimeError: The library cannot be imported; the reason is on standard error.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"program": str(program.resolve()), "arguments": list(arguments), "folder": folder and str(folder)}
        try:
            print(json.dumps(request), file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise RuntimeError(f"no program can be run with {self.library}")
        return Performance(**json.loads(answer))

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()
