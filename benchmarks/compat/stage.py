"""A process in which programs are run, one after another, by Chainer or by Renga."""

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
    """What a program did: its exit status (negative: the signal that ended it), and what it wrote."""

    status: int
    output: str
    errors: str


class Stage:
    """`benchmarks.compat.forker` for one library, until the ``with`` block ends.

    Args:
        library: ``chainer`` or ``renga``.
        python: The interpreter that has it.
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
            program: Its file.
            arguments: Of its command line.
            folder: Where it runs; this process's if None.

        Raises:
            RuntimeError: The library could not be imported; what happened is on the standard error.
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
