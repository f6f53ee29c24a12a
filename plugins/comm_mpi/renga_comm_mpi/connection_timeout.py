"""Ends a rank that waits too long for MPI to connect it with the others, and names the late ranks.

While MPI starts, no Python thread runs, so `guarded` starts a process that waits; this file is its program. It ends
with the rank, for any reason. It runs only if ``distributed.timeout`` is set.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if __name__ == "__main__":  # run by path, so that no part of Renga is imported
    sys.path.insert(0, str(Path(__file__).parent.parent))

from renga_comm_mpi import processes

__all__ = ["STARTING", "Clock", "guarded"]

STARTING = 10.0
"""Seconds that ranks have at least to start MPI, unless one is stopped: a busy machine takes so long, no step does."""
_TICK = 0.1
_TURN = 2.0
"""Seconds that a rank gives a lower waiting rank to report first."""
_LOOK = 0.75
"""Fraction of the timeout after which to look for a lower rank: later, it may be gone."""


class Clock:
    """Counts the seconds during which this process runs, without those during which it is stopped.

    Call it regularly; longer pauses than `LONGEST` count as `LONGEST`.
    """

    LONGEST = 1.0

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = time.monotonic()
        self._seconds = 0.0

    def __call__(self) -> float:
        """Return the seconds until now."""
        with self._lock:
            now = time.monotonic()
            self._seconds += min(now - self._last, self.LONGEST)
            self._last = now
            return self._seconds


@contextmanager
def guarded(timeout: float, rank: int, size: int) -> Iterator[None]:
    """End this process if the context takes longer than `timeout`, and name the late ranks.

    Args:
        timeout: Seconds, at least `STARTING`; 0: no limit.
        rank: The rank of this process.
        size: Number of ranks.
    """
    if timeout <= 0.0 or size == 1:
        yield
        return
    guard = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, *map(str, (os.getpid(), timeout, STARTING, rank, size))],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert guard.stdin is not None
    try:
        yield
    finally:
        with suppress(BrokenPipeError):
            guard.stdin.write(b"connected")
            guard.stdin.close()
        guard.wait()


def main(pid: int, timeout: float, starting: float, rank: int, size: int) -> None:
    """Watch a rank until standard input tells that it is connected, or it has ended.

    Args:
        pid: The process of the rank.
        timeout, rank, size: See `guarded`.
        starting: `STARTING`.
    """
    for number in (signal.SIGINT, signal.SIGUSR1, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)  # left to the rank
    clock = Clock()
    lower = None
    while not select.select([0], [], [], _TICK)[0]:
        waited = clock()
        if lower is None and waited > _LOOK * timeout:
            there = processes.rank_processes(processes.starter(pid))
            lower = any(process.guards and process.rank < rank for process in there)
        if waited <= timeout + (_TURN if lower else 0.0):
            continue
        there = processes.rank_processes(processes.starter(pid))
        if waited <= starting and not any(process.state == processes.STOPPED for process in there):
            continue
        here = f"{socket.gethostname()}, process {pid}"
        lines = [f"renga: rank {rank} of {size} ({here}) has waited {waited:.0f} s for MPI to connect all ranks."]
        late = [line for other in range(size) if (line := why_late(there, other)) is not None]
        lines += [f"  late: {line}" for line in late] or ["  nobody is late: all wait, and MPI is slow or stuck"]
        lines.append(f"That is longer than distributed.timeout, {timeout:g} s: all ranks are ended.")
        os.write(2, ("\n" + "\n".join(lines) + "\n").encode(errors="backslashreplace"))
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # the parent of this process, so the process id is still valid
        return


def why_late(there: list[processes.RankProcess], rank: int) -> str | None:
    """Return why a rank is not connected, or None if it waits like the others."""
    silent = processes.why_silent(there, rank)
    if silent is not None:
        return silent
    mine = [process for process in there if process.rank == rank]
    if not any(process.has_mpi for process in mine):
        return f"rank {rank} (process {mine[0].pid}) has not begun to start MPI"
    if not any(process.guards for process in mine):
        return f"rank {rank} (process {mine[0].pid}) has loaded MPI; what it does with it can't be seen"
    return None


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
