"""``python -m renga_comm_mpi.resilient.dormant PROGRAM …``: a process that waits without the user's program.

``renga launch --respawn`` and ``--max`` start such processes with the job, since Open MPI does not always survive the
death of a process started later (``MPI_Comm_spawn``). The process has MPI, but has not imported the program, so it
needs little memory. When the group calls it, it runs the program. Meanwhile an `Attendant` answers the others for it.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import time

from renga_comm_mpi.launching import STOP
from renga_comm_mpi.resilient.told import may_connect, note_end, told

__all__ = ["main"]

_LOOK = 0.02
"""Seconds between two polls."""
_FINALIZE = 10
"""Seconds for MPI to end when the job is over."""


def main(program: list[str]) -> None:
    """Wait until the group calls this process, then run the program; or return when the job is over."""
    signal.signal(STOP, signal.SIG_IGN)  # others stop, and tell this process
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    how = told()
    assert how is not None, "`renga launch --fault-tolerant` starts this"
    while not may_connect(how.folder):
        time.sleep(_LOOK)
    from renga_comm_mpi.resilient.attendant import attend  # this starts MPI, which waits until all ranks do
    from renga_comm_mpi.resilient.awakening import Listener
    from renga_comm_mpi.resilient.backoff import Backoff
    from renga_comm_mpi.resilient.membership import Membership

    listener = Listener(how)
    while not listener.begins():
        if listener.is_over():
            return
        time.sleep(_LOOK)
    membership = Membership(how)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # from now on the others must see its death
    backoff = Backoff()
    membership.settle()
    while membership.is_dormant and membership.wait(_LOOK):
        membership.settle()
        backoff.note(membership.members, time.monotonic())
    if membership.over:
        note_end(None)
        signal.alarm(_FINALIZE)
        return
    attend(membership)
    if backoff.seconds:
        print(
            f"renga: {backoff.deaths} new process{'es' if backoff.deaths > 1 else ''} died soon after the start; "
            f"the next one starts in {backoff.seconds:g} s",
            file=sys.stderr,
            flush=True,
        )
        time.sleep(backoff.seconds)
    signal.signal(STOP, signal.SIG_DFL)
    _run(program)


def _run(program: list[str]) -> None:
    """Run a program as Python does when its command line ends so: ``-m MODULE …`` or ``FILE …``."""
    if program[0] == "-m":
        sys.argv = program[1:]
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
        return
    sys.argv = program
    if not sys.flags.safe_path and os.path.isfile(program[0]):
        sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
    runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
