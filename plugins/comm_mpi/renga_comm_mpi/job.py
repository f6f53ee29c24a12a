"""A job of ranks, seen by who started it: it can be asked to stop, and nothing is left of it when it is over.

At Ctrl-C or SIGTERM, Open MPI's ``mpiexec`` kills all ranks a quarter of a second later. SIGUSR1 it passes on to them,
and lets them take their time. So that is what the first wish to stop becomes. Ranks with a communicator take it for
Ctrl-C (`failures.install`); programs that know nothing of it are ended by it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType

from renga_comm_mpi.launcher_watchdog import LauncherWatchdog
from renga_comm_mpi.launching import STOP, find_mpiexec, launch_command, rank_environment
from renga_comm_mpi.leftovers import Cleaner
from renga_core.settings import lookup

__all__ = ["launch", "run_job"]

_WISHES = (signal.SIGINT, signal.SIGTERM, STOP)
_PR_SET_PDEATHSIG = 1


def launch(
    command: Sequence[str], size: int, environment: Mapping[str, str], *, hosts: str | None = None, tag: bool = False
) -> int:
    """Run ranks of a command: the launcher ``mpi``.

    Args:
        command: As for any other `renga_core.communicator.launcher.Launcher`.
        size: How many ranks.
        environment: Their environment variables.
        hosts: ``HOST[:RANKS],…``; None: all on this one.
        tag: Have each line of output begin with the rank that wrote it.

    Raises:
        LaunchError: mpi4py or ``mpiexec`` is missing, or has no options known for what is asked.
    """
    ranks_here = -(-size // (1 if hosts is None else len(hosts.split(","))))
    started = launch_command(find_mpiexec(), command, size, hosts=hosts, tagged=tag)
    return run_job(
        started,
        {**rank_environment(ranks_here), **environment},
        ranks_here=size if hosts is None else None,
        timeout=lookup("distributed.timeout").value,
    )


def run_job(
    command: Sequence[str], environment: Mapping[str, str], *, ranks_here: int | None = None, timeout: float = 0.0
) -> int:
    """Run ``mpiexec``, and pass on what this process is told, to be called in its main thread.

    The first SIGINT, SIGTERM or SIGUSR1 asks the ranks to stop; another one kills them, and so does the end of this
    process, whatever ends it (on Linux). Ctrl-Z stops them and this process, until both go on.

    Args:
        command: As `launching.launch_command` returns it.
        environment: As `launching.rank_environment` returns it.
        ranks_here: How many ranks are on this machine; None: who knows.
        timeout: Seconds after which `LauncherWatchdog` ends ranks that do not go on; 0: never.

    Returns:
        The status of ``mpiexec``, that of the program; 1 where `LauncherWatchdog` has ended it. Where the ranks did
        not stop by themselves, but were ended by the wish to stop, 128 and its number: 130 for Ctrl-C.
    """
    with Cleaner(environment) as cleaner:
        # A signal that comes before they are handled below ends this process, and with it `mpiexec`.
        process = subprocess.Popen(command, env=cleaner.environment, preexec_fn=_prepare(os.getpid()))
        cleaner.follow(process.pid)
        watchdog = LauncherWatchdog(process, ranks_here, timeout)
        wishes: list[int] = []

        def pass_on(number: int, frame: FrameType | None) -> None:
            wishes.append(number)
            if len(wishes) > 1:
                process.terminate()
                return
            process.send_signal(STOP)
            os.write(2, b"\nrenga: all ranks are asked to stop; once more kills them\n")

        def pause(number: int, frame: FrameType | None) -> None:
            process.send_signal(signal.SIGTSTP)
            os.kill(os.getpid(), signal.SIGSTOP)
            process.send_signal(signal.SIGCONT)  # when this one goes on

        before = {number: signal.signal(number, pass_on) for number in _WISHES}
        before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, pause)
        try:
            status = process.wait()
        finally:
            watchdog.close()
            for number, handler in before.items():
                signal.signal(number, handler)
    if watchdog.ended:
        return 1
    status = status if status >= 0 else 128 - status
    killed = len(wishes) > 1 or status in (STOP, 128 + STOP)  # the first: as Hydra tells it
    return 128 + wishes[0] if wishes and status != 0 and killed else status


def _prepare(parent: int) -> Callable[[], None]:
    """Return what the new process calls before it becomes ``mpiexec``."""
    libc = ctypes.CDLL(None)

    def prepare() -> None:
        # In a terminal, Ctrl-C reaches ``mpiexec``, too. In a session of its own it would not, but there it does not
        # read from the terminal either.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        if sys.platform == "linux":
            libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))
            if os.getppid() != parent:  # that has ended before
                os.kill(os.getpid(), signal.SIGTERM)

    return prepare
