"""Errors and signals of a command on several ranks: rank 0 tells what all have, and an error of one ends all."""

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
"""Seconds in which rank 0's end ends all, where all find the same thing wrong before they are connected."""
_PATIENCE = 3.0
"""Seconds in which ranks that have failed find out whether the others have, too."""
_INTERRUPTED = 130


@contextmanager
def rank_0_speaks() -> Iterator[None]:
    """While the block runs, ranks other than 0 say only what rank 0 does not: errors of their own, with their rank.

    Raises:
        Exception: On rank 0, what the block raises.
        SystemExit: On other ranks, when the block raises; what there is to say has been said.
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
        sys.exit(_INTERRUPTED)  # not `raise SystemExit`: a communicator may want to know the status
    except Exception as error:
        if not getattr(error, "on_every_rank", isinstance(error, MismatchError | RankFailed)):
            time.sleep(_HEAD_START)
            error.add_note(f"This was rank {here.rank} of {here.size}, on {socket.gethostname()}.")
            print_error(error, with_traceback=False)
        sys.exit(getattr(error, "exit_status", 1))


@contextmanager
def error_ends_all_ranks(communicator: CommunicatorBase) -> Iterator[None]:
    """Have an error of one rank end the block on all: the others would wait for it for ever.

    Who waits in a collective gets `MismatchError`, which says what went wrong on which rank. Where all ranks have the
    same error, rank 0's is enough to be told: the others' get the attribute ``on_every_rank``.
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
    """Tell the other ranks of an error, and return whether all have this one."""
    agreed = []

    def tell() -> None:
        with suppress(Exception):
            communicator.agree("this rank has failed", f"{type(error).__name__}: {error}")
            agreed.append(True)

    # Not for ever: another rank may wait for a message from this one, which cannot be told.
    teller = threading.Thread(target=tell, name="renga-failed", daemon=True)
    teller.start()
    teller.join(_PATIENCE)
    return bool(agreed)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """While the block runs, SIGTERM and SIGUSR1 act as Ctrl-C does.

    ``mpiexec`` passes SIGUSR1 on to all ranks, and lets them take their time. At Ctrl-C, Open MPI's sends them SIGTERM,
    and kills them a quarter of a second later.

    A shell that runs a script has programs in the background ignore SIGINT, and with it these signals would do nothing:
    so SIGINT is not ignored while the block runs.
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
