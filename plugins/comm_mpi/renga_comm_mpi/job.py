"""Run a job of ranks: it can be asked to stop, and no process remains when it is over.

At Ctrl-C or SIGTERM, Open MPI's ``mpiexec`` kills all ranks a quarter of a second later. It passes SIGUSR1 on to the
ranks and lets them finish. So the first request to stop is sent as SIGUSR1. Ranks with a communicator treat it as
Ctrl-C (`failures.install`); it ends other programs.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from types import FrameType

from renga_comm_mpi.launcher_watchdog import LauncherWatchdog
from renga_comm_mpi.launching import STOP, find_mpiexec, launch_command, rank_environment
from renga_comm_mpi.leftovers import Cleaner
from renga_comm_mpi.resilient.launching import (
    Errors,
    NothingDone,
    Watch,
    check,
    status_of,
    why_nothing_done,
    with_dormant,
)
from renga_comm_mpi.resilient.told import Told, note_request
from renga_core.settings import lookup

__all__ = ["launch", "run_job"]

_WISHES = (signal.SIGINT, signal.SIGTERM, STOP)
_PR_SET_PDEATHSIG = 1
_STARTS = 4
"""How many times to start a job whose ranks die before their first step."""


def launch(
    command: Sequence[str],
    size: int,
    environment: Mapping[str, str],
    *,
    hosts: str | None = None,
    tag: bool = False,
    fault_tolerant: bool = False,
    spares: int = 0,
    least: int = 1,
    respawn: int = 0,
    waits: bool = False,
    most: int = 0,
) -> int:
    """Run ranks of a command: the launcher ``mpi``.

    Args:
        command: See `renga_core.communicator.launcher.Launcher`.
        size: Number of ranks.
        environment: Their environment variables.
        hosts: ``HOST[:RANKS],…``; None: this host only.
        tag: Prefix each line of output with its rank.
        fault_tolerant: Other ranks continue when a rank dies; communicator `resilient` needs it.
        spares: Number of additional processes, which wait to replace a dead rank.
        least: The job ends if fewer ranks than this remain.
        respawn: Number of additional processes that start the program only when they replace a dead rank.
        waits: Ranks wait for the replacement instead of continuing with fewer ranks.
        most: Largest number of ranks after requests for more (SIGUSR2), and number of additional processes that start
            the program only at a request; 0: no requests.

    Raises:
        LaunchError: mpi4py or ``mpiexec`` is missing, or lacks options for these arguments.
    """
    mpiexec = find_mpiexec()
    ranks_here = -(-max(size, most) // (1 if hosts is None else len(hosts.split(","))))
    count = size + spares + respawn + most
    if respawn or most:
        command = with_dormant(command, size + spares)
    started = launch_command(mpiexec, command, count, hosts=hosts, tagged=tag, fault_tolerant=fault_tolerant)
    variables = {**rank_environment(ranks_here), **environment}
    here, timeout = count if hosts is None else None, lookup("distributed.timeout").value
    if not fault_tolerant:
        return run_job(started, variables, ranks_here=here, timeout=timeout)
    check(mpiexec)
    for again in range(_STARTS - 1, -1, -1):
        with tempfile.TemporaryDirectory(prefix="renga-job-") as folder:
            how = Told(size, least, folder, respawn, waits, most, spares)
            try:
                return run_job(started, variables | how.environment(), ranks_here=here, timeout=timeout, resilient=how)
            except NothingDone as error:
                last = f"after {_STARTS} starts, the job ends. Next: see why, with --tag"
                then = "the job is started again" if again else last
                print(f"renga: {error}; {then}", file=sys.stderr, flush=True)
    return 1


def run_job(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    ranks_here: int | None = None,
    timeout: float = 0.0,
    resilient: Told | None = None,
) -> int:
    """Run ``mpiexec``, and pass signals on to it. Call it in the main thread.

    The first SIGINT, SIGTERM or SIGUSR1 asks the ranks to stop; a second one kills them. The end of this process, for
    any reason, kills them too (on Linux). Ctrl-Z stops ranks and this process, until they continue.

    Args:
        command: As `launching.launch_command` returns it.
        environment: As `launching.rank_environment` returns it.
        ranks_here: Number of ranks on this machine; None: unknown.
        timeout: Seconds after which `LauncherWatchdog` ends hanging ranks; 0: never.
        resilient: Settings of a job that survives dead ranks; None: if a rank dies, all end.

    Returns:
        The status of ``mpiexec``, which is the program's; 0 if ranks may die, and some have not; 1 if
        `LauncherWatchdog` has ended it. If the request to stop ended the ranks, 128 and the signal's number: 130 for
        Ctrl-C.

    Raises:
        NothingDone: Ranks died before the first step was done, and the others could not continue.
    """
    with Cleaner(environment) as cleaner:
        # Signals before the handlers below are set end this process and `mpiexec`.
        errors = None if resilient is None else Errors()
        process = subprocess.Popen(
            command,
            env=cleaner.environment,
            stderr=None if errors is None else errors.write,
            preexec_fn=_prepare(os.getpid()),
        )
        cleaner.follow(process.pid)
        watchdog = LauncherWatchdog(process, ranks_here, timeout, one_by_one=resilient is not None)
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
            process.send_signal(signal.SIGCONT)  # when this process continues

        def add(number: int, frame: FrameType | None) -> None:
            assert resilient is not None, "only such a job takes requests"
            note_request(resilient.folder)
            os.write(2, f"\nrenga: one more rank is asked for; {resilient.most} is the maximum (--max)\n".encode())

        before = {number: signal.signal(number, pass_on) for number in _WISHES}
        before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, pause)
        if resilient is not None and resilient.most:
            before[signal.SIGUSR2] = signal.signal(signal.SIGUSR2, add)
        watch = None if resilient is None else Watch(process, resilient, ranks_here)
        try:
            with watch or nullcontext():
                status = process.wait()
        finally:
            watchdog.close()
            if errors is not None:
                errors.close()
            for number, handler in before.items():
                signal.signal(number, handler)
    if watchdog.ended:
        return 1
    status = status if status >= 0 else 128 - status
    if resilient is not None and watch is not None:
        if not wishes and (why := why_nothing_done(resilient.folder, watch.missing)):
            raise NothingDone(why)
        return status_of(resilient.folder, status, wishes[0] if wishes else 0, here=ranks_here is not None)
    killed = len(wishes) > 1 or status in (STOP, 128 + STOP)  # the first value: Hydra's status
    return 128 + wishes[0] if wishes and status != 0 and killed else status


def _prepare(parent: int) -> Callable[[], None]:
    """Return the function that the new process calls before it becomes ``mpiexec``."""
    libc = ctypes.CDLL(None)

    def prepare() -> None:
        # In a terminal, Ctrl-C reaches ``mpiexec``, too. In a session of its own it would not, but there it does not
        # read from the terminal either.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        if sys.platform == "linux":
            libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))
            if os.getppid() != parent:  # the parent has already ended
                os.kill(os.getpid(), signal.SIGTERM)

    return prepare
