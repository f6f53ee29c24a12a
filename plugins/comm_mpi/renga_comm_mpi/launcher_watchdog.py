"""Detect, from outside, a job that hangs: before MPI has connected the ranks, or because ranks are stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import suppress

from renga_comm_mpi.connection_timeout import STARTING, Clock
from renga_comm_mpi.processes import STOPPED, rank_processes, state_of, why_silent

__all__ = ["LauncherWatchdog"]

_PERIOD = 0.25


class LauncherWatchdog:
    """Ends a job if one of its processes on this machine is stopped for too long, or some ranks never start MPI.

    "Never" means: while other ranks have begun to. Ranks need no support for it, and any program works.

    Args:
        mpiexec: The process that has started the ranks.
        size: Number of ranks on this machine; None: unknown.
        timeout: Seconds; 0: no limit.
        one_by_one: End only stopped ranks; the others continue without them.

    Attributes:
        ended: Whether it has ended the job.
    """

    def __init__(
        self, mpiexec: subprocess.Popen[bytes], size: int | None, timeout: float, one_by_one: bool = False
    ) -> None:
        self.ended = False
        self._one_by_one = one_by_one
        self._mpiexec = mpiexec
        self._size = size
        self._timeout = timeout
        self._connected = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="renga-job-watch", daemon=True)
        if timeout > 0.0:
            self._thread.start()

    def close(self) -> None:
        """Stop watching: the job is over."""
        self._over.set()
        if self._timeout > 0.0:
            self._thread.join()

    def _watch(self) -> None:
        clock = Clock()
        since: dict[str, float] = {}
        while not self._over.wait(_PERIOD):
            now = clock()  # does not advance while this process is stopped
            found = self._findings()
            since = {what: since.get(what, now) for what in found}
            late = [what for what, patience in found.items() if now - since[what] > patience]
            if late and self._one_by_one and self._end_stopped(late):
                continue
            if late:
                self._end(late)
                return

    def _findings(self) -> dict[str, float]:
        """Return each current problem, with the seconds after which it counts."""
        found = {}
        if state_of(self._mpiexec.pid) == STOPPED:
            found[f"mpiexec (process {self._mpiexec.pid}) is stopped"] = self._timeout
        there = rank_processes(self._mpiexec.pid)
        ranks = {process.rank for process in there}
        if self._size is not None and not self._connected:
            begun = {process.rank for process in there if process.has_mpi}
            self._connected = len(begun) == self._size
            if begun and not self._connected:
                ranks |= set(range(self._size))
                patience = max(self._timeout, STARTING)
                for rank in sorted(ranks - begun):
                    found[f"rank {rank} has not begun to start MPI, and others have"] = patience
        found |= {line: self._timeout for rank in sorted(ranks) if (line := why_silent(there, rank)) is not None}
        return found

    def _end_stopped(self, late: list[str]) -> bool:
        """End the ranks that are stopped; return whether there are any."""
        stopped = [process.pid for process in rank_processes(self._mpiexec.pid) if process.state == STOPPED]
        if stopped:
            _say(["renga: some ranks are stopped.", *(f"  late: {what}" for what in late)], self._timeout, "these are")
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(stopped)

    def _end(self, late: list[str]) -> None:
        self.ended = True
        _say(["renga: the job does not go on.", *(f"  late: {what}" for what in late)], self._timeout, "all ranks are")
        for process in rank_processes(self._mpiexec.pid):
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        # It cleans up after its ranks have ended, if it can.
        self._mpiexec.send_signal(signal.SIGCONT)
        try:
            self._mpiexec.wait(5.0)
        except subprocess.TimeoutExpired:
            self._mpiexec.kill()


def _say(lines: list[str], timeout: float, whose: str) -> None:
    lines.append(f"That is so for longer than distributed.timeout, {timeout:g} s: {whose} ended.")
    os.write(2, ("\n" + "\n".join(lines) + "\n").encode(errors="backslashreplace"))
