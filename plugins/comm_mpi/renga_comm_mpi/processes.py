"""The state of a job's ranks on this machine, read from Linux, without MPI.

It works for stopped ranks, and for ranks stuck before they start MPI. On other systems it finds nothing.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

__all__ = [
    "GUARD",
    "STOPPED",
    "RankProcess",
    "has_thread",
    "name_this_thread",
    "rank_processes",
    "starter",
    "state_of",
    "uses_mpi",
    "why_silent",
]

STOPPED = "T"
"""The state of a process stopped by SIGSTOP or Ctrl-Z."""
GUARD = "renga_comm_mpi/connection_timeout.py"
"""A part of the command line of a rank's guard."""
_RANK = (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=", b"PMIX_RANK=", b"MV2_COMM_WORLD_RANK=")
"""The environment variables that hold a rank's number."""
_PR_SET_NAME = 15
_PF_EXITING = 4


class RankProcess(NamedTuple):
    """A process of a rank: its program, or another one that the program has started.

    Attributes:
        rank: Its rank in the job.
        pid: Its process id.
        state: The letter that ``ps`` shows: R runs, S sleeps, T is stopped.
        has_mpi: Whether it has loaded an MPI library.
        guards: Whether it is only the guard of a rank's connection (`connection_timeout`).
    """

    rank: int
    pid: int
    state: str
    has_mpi: bool
    guards: bool


def starter(pid: int) -> int:
    """Return the process that has started a rank: ``mpiexec``, or its helper on this machine."""
    parent = _parent(pid)
    while _rank_of(parent) is not None:
        parent = _parent(parent)
    return parent


def rank_processes(starter: int) -> list[RankProcess]:
    """Return all processes of ranks below the one that has started them, by rank and age."""
    children: dict[int, list[int]] = {}
    for name in _names():
        children.setdefault(_parent(int(name)), []).append(int(name))
    found = []
    waiting = [starter]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            waiting.append(child)
            rank = _rank_of(child)
            if rank is not None:
                guards = GUARD.encode() in _read(child, "cmdline")
                found.append(RankProcess(rank, child, state_of(child), _has_mpi(child), guards))
    return sorted(found)


def why_silent(there: list[RankProcess], rank: int) -> str | None:
    """Return why a rank cannot run, given `rank_processes`; None if unknown."""
    mine = [process for process in there if process.rank == rank]
    if not mine:
        return f"rank {rank} has no process on this machine: it was not started, has ended, or is on another one"
    for process in mine:
        if process.state == STOPPED:
            return f"rank {rank} (process {process.pid}) is stopped: 'kill -CONT {process.pid}' lets it go on"
    return None


def name_this_thread(name: str) -> None:
    """Name this thread for `has_thread`, with at most 15 letters."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode())


def has_thread(pid: int, name: str) -> bool:
    """Whether a process has a thread of this name."""
    return any(_read(pid, f"task/{task}/comm").decode().strip() == name for task in _tasks(pid))


def state_of(pid: int) -> str:
    """Return the letter of a process's state; empty if there is no such process."""
    return _status(pid)[0]


def uses_mpi(variable: str) -> bool:
    """Whether a process of this user has this variable, ``NAME=VALUE``, in its environment, and has loaded MPI.

    A process about to end counts as well: its memory is still mapped, though no longer listed.
    """
    return any(
        _is_ending(pid, task) or (variable.encode() in _read(pid, "environ").split(b"\0") and _has_mpi(pid))
        for pid in map(int, _names())
        if _is_own(pid)
        for task in _tasks(pid)
    )


def _names() -> Iterator[str]:
    with suppress(OSError):
        yield from (name for name in os.listdir("/proc") if name.isdigit())


def _tasks(pid: int) -> list[str]:
    """The threads of a process; the first may end before others."""
    with suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []


def _is_own(pid: int) -> bool:
    with suppress(OSError):
        return os.stat(f"/proc/{pid}").st_uid == os.geteuid()
    return False


def _is_ending(pid: int, task: str) -> bool:
    """Whether a thread has begun to end, but has not yet."""
    fields = _fields(pid, f"task/{task}/stat")
    return len(fields) > 6 and fields[0] not in (b"Z", b"X") and bool(int(fields[6]) & _PF_EXITING)


def _fields(pid: int, name: str) -> list[bytes]:
    """Return the fields of a ``stat`` file, starting with the state (proc(5))."""
    return _read(pid, name).rpartition(b")")[2].split()


def _status(pid: int) -> tuple[str, int]:
    """Return the state and the parent."""
    fields = _fields(pid, "stat")
    return (fields[0].decode(), int(fields[1])) if len(fields) > 1 else ("", 0)


def _parent(pid: int) -> int:
    return _status(pid)[1]


def _rank_of(pid: int) -> int | None:
    entries = _read(pid, "environ").split(b"\0")
    for name in _RANK:
        for entry in entries:
            if entry.startswith(name) and entry[len(name) :].isdigit():
                return int(entry[len(name) :])
    return None


def _has_mpi(pid: int) -> bool:
    return b"/libmpi" in _read(pid, "maps")


def _read(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:  # the process has ended, or belongs to another user
        return b""
