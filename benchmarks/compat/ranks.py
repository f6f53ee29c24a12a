"""Running a program by several ranks of MPI."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.compat.stage import Performance
from benchmarks.environments import ROOT, process_environment
from renga_comm_mpi.launching import Mpiexec, find_mpiexec, launch_command, rank_environment

__all__ = ["run_ranks"]


def run_ranks(library: str, python: str, program: Path, size: int = 2) -> Performance:
    """Run a program to its end.

    Args:
        library: ``chainer`` or ``renga``.
        python: The interpreter that has it. Another one than this has Open MPI beside it.
        program: The program.
        size: How many ranks.

    Raises:
        LaunchError: There is no MPI.
        TimeoutExpired: It takes longer than a minute and a half.
    """
    here = python == sys.executable
    mpiexec = find_mpiexec() if here else Mpiexec(str(Path(python).parent / "mpiexec"), "Open MPI", "")
    runner = ["-m", "renga_chainer"] if library == "renga" else []
    done = subprocess.run(
        launch_command(mpiexec, [python, "-W", "ignore", *runner, str(program)], size),
        cwd=ROOT,
        env={**rank_environment(size), **process_environment(python, 1, {})},
        capture_output=True,
        text=True,
        timeout=90,
    )
    return Performance(done.returncode, done.stdout, done.stderr)
