"""Processes that are started while a job runs, to take the places of dead ranks (``--respawn``).

All ranks of the group start them together, each in a thread, while training goes on: to start Python takes a second or
two. A newcomer says when it is ready. Then, at a boundary between iterations, it is merged into the group's root.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress

from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.resilient.family import tells_of_loss

__all__ = ["Recruiting", "meet_parents", "parents"]

_READY, _COME = 1, 2
_LOOK = 0.01
_START = 15.0
_PATIENCE = 600.0
"""Seconds after which a newcomer that nobody has taken in ends."""


class Recruiting:
    """Newcomers on their way.

    Args:
        comm: The group, for this alone. It is never freed, since a thread may be in it.
        count: How many to start.
    """

    def __init__(self, comm: MPI.Comm, count: int) -> None:
        self.count = count
        self._comm = MPI.Intracomm(comm)
        self._inter: MPI.Intercomm | None = None
        self._ready = 0
        self._failed = self._abandoned = False
        self._thread = threading.Thread(target=self._start, name="renga-respawn", daemon=True)
        self._thread.start()

    def has_come(self) -> bool:
        """Whether all newcomers are ready, or will never be. To be asked by rank 0."""
        if self._failed:
            return True
        if self._inter is None:
            return False
        try:
            while self._inter.Iprobe(MPI.ANY_SOURCE, _READY):
                self._inter.recv(tag=_READY)
                self._ready += 1
        except MPI.Exception:
            self._failed = True
        return self._failed or self._ready == self.count

    def take_in(self) -> MPI.Comm | None:
        """Return a root of the group and the newcomers; None if they cannot come. Collective, after `has_come`."""
        self._thread.join()
        if self._inter is None:
            return None
        try:
            if self._comm.rank == 0 and not self._failed:
                for newcomer in range(self.count):
                    self._inter.send(b"", newcomer, _COME)
            if not self._comm.Agree(0 if self._failed else 1):
                return None
            return _merged(self._inter, high=False)
        except MPI.Exception as error:
            if not tells_of_loss(error):
                raise
            return None

    def await_start(self) -> None:
        """Wait until they have started: whoever starts them must not end before."""
        self._thread.join(_START)

    def abandon(self) -> None:
        """Let newcomers end: the group has changed meanwhile."""
        self._abandoned = True
        with suppress(MPI.Exception):
            self._comm.Revoke()
        self._dismiss()

    def _start(self) -> None:
        info = MPI.Info.Create({"wdir": os.getcwd()})
        try:
            self._inter = self._comm.Spawn(sys.executable, sys.orig_argv[1:], self.count, info)
            self._inter.Set_errhandler(MPI.ERRORS_RETURN)
        except MPI.Exception:
            self._failed = True
        finally:
            info.Free()
        if self._abandoned:
            self._dismiss()

    def _dismiss(self) -> None:
        with suppress(MPI.Exception):
            if self._inter is not None and not self._inter.Is_revoked():
                self._inter.Revoke()


def parents() -> MPI.Intercomm | None:
    """What connects this process with those that have started it as a newcomer; None: it is none."""
    found = MPI.Comm.Get_parent()
    return None if found == MPI.COMM_NULL else found


def meet_parents(inter: MPI.Intercomm) -> MPI.Comm | None:
    """Say that this newcomer is ready, wait, and return the root with the group; None: it is not needed any more."""
    inter.Set_errhandler(MPI.ERRORS_RETURN)
    deadline = time.monotonic() + _PATIENCE
    try:
        inter.send(b"", 0, _READY)
        while not inter.Iprobe(0, _COME):
            if time.monotonic() > deadline:
                return None
            time.sleep(_LOOK)
        inter.recv(source=0, tag=_COME)
        return _merged(inter, high=True)
    except MPI.Exception as error:
        if not tells_of_loss(error):
            raise
        return None


def _merged(inter: MPI.Intercomm, high: bool) -> MPI.Comm | None:
    """All of both sides, if all have it."""
    root = inter.Merge(high)
    root.Set_errhandler(MPI.ERRORS_RETURN)
    if root.Agree(1) != 1:
        return None
    inter.Free()
    return root
