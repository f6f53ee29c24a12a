"""Running programs by several ranks of MPI."""

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
    """Several ranks of one library, in the place of a `Stage`.

    Args:
        library: ``chainer`` or ``renga``.
        python: The interpreter that has it. Another one than this has Open MPI beside it.
        size: How many ranks.

    Raises:
        LaunchError: There is no MPI.
    """

    def __init__(self, library: str, python: str, size: int = 2) -> None:
        self.library, self.python, self.size = library, python, size
        here = python == sys.executable
        self._mpiexec = find_mpiexec() if here else Mpiexec(str(Path(python).parent / "mpiexec"), "Open MPI", "")

    def perform(self, program: Path) -> Performance:
        """Run a program by the command lines in its docstring; without options, if it has none.

        Raises:
            TimeoutExpired: One takes longer than a minute and a half.
        """
        return run_command_lines(self, program) if command_lines(program) else self.run(program)

    def run(self, program: Path, arguments: Sequence[str] = (), folder: Path | None = None) -> Performance:
        """Run a program to its end, as `Stage.run` does.

        Raises:
            TimeoutExpired: It takes longer than a minute and a half.
        """
        runner = ["-m", "renga_chainer"] if self.library == "renga" else []
        command = [self.python, "-W", "ignore", *runner, str(program.resolve()), *arguments]
        return self.launch(launch_command(self._mpiexec, command, self.size), folder)

    def launch(self, command: Sequence[str], folder: Path | None = None) -> Performance:
        """Run a command that starts the ranks itself.

        Raises:
            TimeoutExpired: It takes longer than a minute and a half.
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
