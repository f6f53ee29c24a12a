"""Runs programs on several ranks of MPI."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.compat.command_lines import command_lines, run_command_lines
from benchmarks.compat.stage import Performance
from benchmarks.environments import ROOT, process_environment
from renga_comm_mpi.launching import Mpiexec, find_mpiexec, launch_command, rank_environment

__all__ = ["Ranks"]


class Ranks:
    """Several ranks of one library; same interface as `Stage`.

    Args:
        library: ``chainer`` or ``renga``.
        python: Interpreter with the library. If it is not this one, Open MPI is beside it.
        size: Number of ranks.

    Raises:
        LaunchError: MPI is not installed.
    """

    def __init__(self, library: str, python: str, size: int = 2) -> None:
        self.library, self.python, self.size = library, python, size
        here = python == sys.executable
        self._mpiexec = find_mpiexec() if here else Mpiexec(str(Path(python).parent / "mpiexec"), "Open MPI", "")

    def perform(self, program: Path) -> Performance:
        """Run a program with the command lines in its docstring; without options if there are none.

        Raises:
            TimeoutExpired: A run takes longer than 90 seconds.
        """
        return run_command_lines(self, program) if command_lines(program) else self.run(program)

    def run(self, program: Path, arguments: Sequence[str] = (), folder: Path | None = None) -> Performance:
        """Run a program to its end, like `Stage.run`.

        Raises:
            TimeoutExpired: It takes longer than 90 seconds.
        """
        runner = ["-m", "renga_chainer"] if self.library == "renga" else []
        command = [self.python, "-W", "ignore", *runner, str(program.resolve()), *arguments]
        return self.launch(launch_command(self._mpiexec, command, self.size), folder)

    def launch(self, command: Sequence[str], folder: Path | None = None) -> Performance:
        """Run a command that starts the ranks itself.

        Raises:
            TimeoutExpired: It takes longer than 90 seconds.
        """
        done = subprocess.run(
            command,
            cwd=ROOT if folder is None else folder,
            env={**rank_environment(self.size), **process_environment(self.python, 1, {})},
            capture_output=True,
            text=True,
            timeout=90,
        )
        return Performance(done.returncode, done.stdout, done.stderr)
