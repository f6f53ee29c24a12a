"""The launcher's part in a job whose ranks may die."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from renga_comm_mpi.launching import LaunchError, Mpiexec
from renga_comm_mpi.processes import rank_processes
from renga_comm_mpi.resilient.told import Told, connecting, ends, has_committed, is_used, note_mpi, users

__all__ = ["Errors", "NothingDone", "Watch", "check", "status_of", "why_nothing_done", "with_dormant"]

_PERIOD = 0.25
_GRACE = 15.0
"""Time in seconds for a process to end after it has reported its end, and for ``mpiexec`` when no rank is left."""
_STARTS = 2.0
"""Time in seconds that a rank may have no process while others wait for MPI to connect them."""
_OTHERS = 30.0
"""Time in seconds until the warning that a program with dormant processes uses MPI without Renga."""
_KILL = 5.0
"""Time in seconds for ``mpiexec`` to end on request; then it is killed."""


class NothingDone(Exception):
    """A job has ended before its first step, so it can be started again. The message is the reason."""


def check(mpiexec: Mpiexec) -> None:
    """Raise LaunchError unless this ``mpiexec`` can start a job whose ranks may die."""
    words = mpiexec.version.split()
    major = next((word.partition(".")[0] for word in reversed(words) if word[:1].isdigit()), "0")
    if mpiexec.flavour != "Open MPI" or int(major) < 5:
        raise LaunchError(
            f"--fault-tolerant needs Open MPI 5 or later, and {mpiexec.path} is: {mpiexec.version or 'unknown'}.\n"
            "Next: pip install 'renga[mpi]', which brings it"
        )


def with_dormant(command: Sequence[str], first: int) -> list[str]:
    """Return the command for each process of a job with dormant processes.

    Args:
        command: Command of the program.
        first: The first dormant rank.

    Raises:
        LaunchError: It is not a Python program, so a dormant process could not run it later.
    """
    position = 1
    while command[position : position + 1] and command[position].startswith("-") and command[position] != "-m":
        position += 2 if command[position] in ("-W", "-X") else 1
    if command[0] != sys.executable or position >= len(command) or "-c" in command[:position]:
        raise LaunchError(
            "with --respawn and --max, waiting processes start the program later, so it must be a Python program: "
            f"FILE.py, -m MODULE or 'renga COMMAND'. It is: {' '.join(command)}\nNext: use --spares"
        )
    start = str(Path(__file__).with_name("start.py"))
    return [sys.executable, "-I", "-S", start, str(first), str(position), *command]


def status_of(folder: str, status: int, wish: int = 0, here: bool = True) -> int:
    """Return the status of a job: 0 if a rank has come to the end of its program, even if others died.

    Args:
        folder: Folder with the reported ends. Processes do not know the status of ``raise SystemExit(3)``.
        status: Status of ``mpiexec``: below 128, that of a process that ended by itself; otherwise, a process died.
        wish: The signal that asked the job to stop; 0: none.
        here: Whether all ranks were on this machine. Otherwise, `status` may also mean the loss of another machine.
    """
    noted = [one for one in ends(folder).values() if one is not None]
    if noted:
        return min(noted) or (status if here and status < 128 else 0)
    return 128 + wish if wish else status or 1 if is_used(folder) else status


def why_nothing_done(folder: str, missing: Sequence[int]) -> str | None:
    """Return why a job ended before its first step; None if it did not, or if its program ended by itself.

    Args:
        folder: Folder with the reports of processes.
        missing: Ranks that died before MPI had connected all.
    """
    if missing:
        numbers = f"rank{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing))}"
        return f"{numbers} died before MPI had connected all"
    noted = [one for one in ends(folder).values() if one is not None]
    if noted or has_committed(folder) or not is_used(folder):
        return None
    return "all ranks died before the first step"


class Watch:
    """Ends processes that do not end by themselves: ranks that have reported their end, and ``mpiexec`` without ranks.

    It also ends a job if a rank died before MPI had connected all, and dormant processes if all others ended without
    making the communicator. It is a context for the wait for ``mpiexec``.

    Args:
        mpiexec: The process that started the ranks.
        how: Settings of the job.
        size: Number of processes on this machine; None if other machines take part.

    Attributes:
        missing: Ranks that died before MPI had connected all.
    """

    def __init__(self, mpiexec: subprocess.Popen[bytes], how: Told, size: int | None = None) -> None:
        self.missing: list[int] = []
        self._mpiexec, self._folder, self._size = mpiexec, how.folder, size
        self._first_dormant = how.first_dormant
        self._has_dormant = how.respawn + how.most > 0
        self._other_since: float | None = None
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
        begun_at: float | None = None
        whole_at = time.monotonic()
        while not self._over.wait(_PERIOD):
            found = rank_processes(self._mpiexec.pid)
            there = {process.pid for process in found}
            awake = [process for process in found if process.rank < self._first_dormant]
            if any(process.has_mpi for process in awake):
                note_mpi(self._folder)
                self._name_others({process.pid for process in awake})
            if self._size is not None and there & connecting(self._folder):
                missing = sorted(set(range(self._size)) - {process.rank for process in found})
                if missing and time.monotonic() - whole_at > _STARTS:
                    self.missing = missing
                    self._end(there)
                    return
            else:
                missing = []
            whole_at = whole_at if missing else time.monotonic()
            begun_at = time.monotonic() if begun_at is None and there else begun_at
            started = started or bool(awake)
            if self._size is not None and begun_at is not None and time.monotonic() - begun_at > _STARTS:
                started = True  # a program may have come to its end between two looks
            if started and not awake and not is_used(self._folder):
                for pid in there:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGTERM)
            if there or not started:
                empty_since = time.monotonic()
            for pid in there & ends(self._folder).keys():
                if time.time() - Path(self._folder, str(pid)).stat().st_mtime > _GRACE:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            if time.monotonic() - empty_since > _GRACE:
                self._mpiexec.kill()

    def _name_others(self, awake: set[int]) -> None:
        """Warn that a program waits for processes that do not start it."""
        if not self._has_dormant or awake & users(self._folder):
            return
        now = time.monotonic()
        if self._other_since is None:
            self._other_since = now
        elif now - self._other_since > _OTHERS:
            self._other_since = float("inf")
            text = (
                "\nrenga: the program uses MPI, but not through Renga. With --respawn or --max, it waits for processes "
                "that only communicator 'resilient' can use.\nNext: start it without these options\n"
            )
            os.write(2, text.encode())

    def _end(self, ranks: set[int]) -> None:
        for pid in ranks:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._mpiexec.terminate()
        if not self._over.wait(_KILL):
            self._mpiexec.kill()


class Errors:
    """Passes on standard error of ``mpiexec``, without Open MPI's lines about dead ranks.

    Nonblocking collectives print "NBC_Progress: an error …" or "Error in NBC_Start_round() …" when a dead rank
    interrupts them. This looks like a failure, but recovery follows.

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
        """Wait until everything is passed on, after ``mpiexec`` has ended."""
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
