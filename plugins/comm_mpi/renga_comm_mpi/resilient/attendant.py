"""Answers the other processes of a job while this one starts its program."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import traceback

from renga_comm_mpi.resilient.membership import Membership
from renga_comm_mpi.resilient.told import note_end

__all__ = ["Attendant", "attend", "attendant"]

_LOOK = 0.01
"""Seconds between two polls."""

_attendant: Attendant | None = None


class Attendant:
    """A thread that takes part in collectives for a process without a place.

    Args:
        membership: The membership of this process.

    Attributes:
        membership: The membership of this process.
        lock: Held while this thread creates or ends communicators.
    """

    def __init__(self, membership: Membership) -> None:
        self.membership = membership
        self.lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._attend, name="renga-attendant", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread: from now on, the process takes part itself."""
        self._over.set()
        self._thread.join()

    def end(self) -> None:
        """At exit of a program without the communicator: show the others that this process is gone."""
        if not self._over.is_set():
            note_end(None)
            os.kill(os.getpid(), signal.SIGKILL)

    def _attend(self) -> None:
        try:
            while not self._over.wait(_LOOK):
                if self.membership.hears_change():
                    with self.lock:
                        self.membership.settle()
                if self.membership.over:  # the others do not wait until the program has started
                    note_end(None)
                    os._exit(0)
        except BaseException:  # without an answer, the others would wait forever
            traceback.print_exc()
            os.kill(os.getpid(), signal.SIGKILL)


def attend(membership: Membership) -> None:
    """Start an attendant."""
    global _attendant
    _attendant = Attendant(membership)
    atexit.register(_attendant.end)


def attendant() -> Attendant | None:
    """Return the attendant of this process; None if it started with the program."""
    return _attendant
