"""What the launcher does for a job whose ranks may die."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from renga_comm_mpi.launching import LaunchError, Mpiexec
from renga_comm_mpi.processes import rank_processes
from renga_comm_mpi.resilient.told import connecting, ends, is_used

__all__ = ["Errors", "NotConnected", "Watch", "check", "status_of"]

_PERIOD = 0.25
_GRACE = 15.0
"""Seconds that a process has to end when it has said that it does, and ``mpiexec`` when no rank is left."""
_STARTS = 2.0
"""Seconds that a rank may have no process while others wait for MPI to connect them."""
_KILL = 5.0
"""Seconds after which ``mpiexec`` is killed that was asked to end."""


class NotConnected(Exception):
    """Ranks have died before MPI had connected all, so the job was ended: the others would have waited for ever.

    Attributes:
        ranks: Which.
    """

    def __init__(self, ranks: list[int]) -> None:
        super().__init__(ranks)
        self.ranks = ranks


def check(mpiexec: Mpiexec) -> None:
    """Raise LaunchError unless it can start a job whose ranks may die."""
    words = mpiexec.version.split()
    major = next((word.partition(".")[0] for word in reversed(words) if word[:1].isdigit()), "0")
    if mpiexec.flavour != "Open MPI" or int(major) < 5:
        raise LaunchError(
            f"--fault-tolerant needs Open MPI 5 or later, and {mpiexec.path} is: {mpiexec.version or 'unknown'}.\n"
            "Next: pip install 'renga[mpi]', which brings it"
        )


def status_of(folder: str, status: int, wish: int = 0) -> int:
    """Return the status of a job: 0 if a rank has come to the end of its program, whoever else has died.

    Args:
        folder: Where processes have noted how they ended.
        status: That of ``mpiexec``, which does not know what a death means.
        wish: The signal by which the job was asked to stop, if it was.
    """
    noted = [one for one in ends(folder).values() if one is not None]
    if noted:
        return min(noted)
    return 128 + wish if wish else status or 1 if is_used(folder) else status


class Watch:
    """Ends what does not end by itself: ranks that have said that they do, and ``mpiexec`` when no rank is left.

    Also a job of which a rank has died before MPI had connected all. Used as a context, around waiting for ``mpiexec``.

    Args:
        mpiexec: What has started the ranks.
        folder: Where they note their end.
        size: How many ranks are started on this machine, spares too; None: others are started elsewhere.

    Attributes:
        missing: The ranks that died before MPI had connected all.
    """

    def __init__(self, mpiexec: subprocess.Popen[bytes], folder: str, size: int | None = None) -> None:
        self.missing: list[int] = []
        self._mpiexec, self._folder, self._size = mpiexec, folder, size
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="renga-end-watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        started, empty_since = False, time.monotonic()
        whole_at = time.monotonic()
        while not self._over.wait(_PERIOD):
            found = rank_processes(self._mpiexec.pid)
            there = {process.pid for process in found}
            if self._size is not None and there & connecting(self._folder):
                missing = sorted(set(range(self._size)) - {process.rank for process in found})
                if missing and time.monotonic() - whole_at > _STARTS:
                    self.missing = missing
                    self._end(there)
                    return
            else:
                missing = []
            whole_at = whole_at if missing else time.monotonic()
            started = started or bool(there)
            if there or not started:
                empty_since = time.monotonic()
            for pid in there & ends(self._folder).keys():
                if time.time() - Path(self._folder, str(pid)).stat().st_mtime > _GRACE:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            if time.monotonic() - empty_since > _GRACE:
                self._mpiexec.kill()

    def _end(self, ranks: set[int]) -> None:
        for pid in ranks:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._mpiexec.terminate()
        if not self._over.wait(_KILL):
            self._mpiexec.kill()


class Errors:
    """Passes on what ``mpiexec`` writes to standard error, without the lines of Open MPI about each dead rank.

    Its collectives that do not block print "NBC_Progress: an error …" or "Error in NBC_Start_round() …" for every one
    that a dead rank interrupts, which looks like a failure, and is what recovery begins with.

    Attributes:
        write: The file descriptor for ``mpiexec``.
    """

    _NOISE = re.compile(
        rb"(\[[^]\n]*\])?NBC_Progress: an error \d+ was found during schedule \w+ at row-offset \d+ - aborting the "
        rb"schedule\r?\n"
    )
    _MORE_NOISE = re.compile(rb"(\[[^]\n]*\])?Error in NBC_\w+\(\) \(-?\d+\)\r?\n")
    _EMPTY = re.compile(rb"^(\[[^]\n]*\])?\r?\n", re.MULTILINE)

    def __init__(self) -> None:
        self._read, self.write = os.pipe()
        self._thread = threading.Thread(target=self._pass_on, name="renga-stderr", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Wait until all is passed on; ``mpiexec`` has ended."""
        os.close(self.write)
        self._thread.join(_GRACE)

    def _pass_on(self) -> None:
        empty = 0
        while text := os.read(self._read, 2**16):
            text, count = self._NOISE.subn(b"", self._MORE_NOISE.sub(b"", text))
            empty += count  # such a line follows each, maybe later
            if empty:
                text, count = self._EMPTY.subn(b"", text, empty)
                empty -= count
            with suppress(OSError):
                os.write(2, text)
        os.close(self._read)
