"""Errors and signals of a command on several ranks: rank 0 reports shared errors, and an error of one rank ends all."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from renga_comm_base.launched import launched
from renga_core.communicator import CommunicatorBase, MismatchError, RankFailed

from .output import print_error

__all__ = ["error_ends_all_ranks", "rank_0_speaks", "stopped_by_signals"]

_HEAD_START = 1.5
"""Seconds until rank 0's exit ends all ranks, if all fail in the same way before they are connected."""
_PATIENCE = 3.0
"""Seconds in which a failed rank waits to learn whether the others have failed too."""
_INTERRUPTED = 130


@contextmanager
def rank_0_speaks() -> Iterator[None]:
    """While the block runs, ranks other than 0 print only their own errors, with their rank.

    Raises:
        Exception: On rank 0, what the block raises.
        SystemExit: On other ranks, if the block raises; the error has been printed by then.
    """
    here = launched()
    if here.rank == 0:
        yield
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)  # not `raise SystemExit`: a communicator may replace `sys.exit`
    except Exception as error:
        if not getattr(error, "on_every_rank", isinstance(error, MismatchError | RankFailed)):
            time.sleep(_HEAD_START)
            error.add_note(f"This was rank {here.rank} of {here.size}, on {socket.gethostname()}.")
            print_error(error, with_traceback=False)
        sys.exit(getattr(error, "exit_status", 1))


@contextmanager
def error_ends_all_ranks(communicator: CommunicatorBase) -> Iterator[None]:
    """Let an error of one rank end the block on all ranks, which would otherwise wait for it for ever.

    Ranks that wait in a collective get `MismatchError`, which names the rank and its error. If all ranks have the same
    error, only rank 0 needs to print it: the errors of the others get the attribute ``on_every_rank``.
    """
    try:
        yield
    except (MismatchError, RankFailed):
        raise
    except Exception as error:
        if communicator.size > 1:
            error.on_every_rank = _all_have(communicator, error)  # type: ignore[attr-defined]  # read by `rank_0_speaks`
        raise


def _all_have(communicator: CommunicatorBase, error: Exception) -> bool:
    """Send an error to the other ranks, and return whether all ranks have this error."""
    agreed = []

    def tell() -> None:
        with suppress(Exception):
            communicator.agree("this rank has failed", f"{type(error).__name__}: {error}")
            agreed.append(True)

    # With a time limit: another rank may wait for a message from this one, and cannot answer.
    teller = threading.Thread(target=tell, name="renga-failed", daemon=True)
    teller.start()
    teller.join(_PATIENCE)
    return bool(agreed)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """While the block runs, treat SIGTERM and SIGUSR1 like Ctrl-C.

    ``mpiexec`` passes SIGUSR1 on to all ranks and gives them time. At Ctrl-C, Open MPI's ``mpiexec`` sends them
    SIGTERM, and kills them a quarter of a second later.

    A shell that runs a script makes background programs ignore SIGINT; then these signals would have no effect. So
    SIGINT is not ignored while the block runs.
    """
    numbers = (signal.SIGTERM, signal.SIGUSR1)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    owner = os.getpid()

    def interrupt(number: int, frame: FrameType | None) -> None:
        if os.getpid() == owner:
            signal.raise_signal(signal.SIGINT)
        else:  # a worker that was forked
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    before = {
        number: signal.signal(number, interrupt) for number in numbers if signal.getsignal(number) == signal.SIG_DFL
    }
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
