"""What runs in the processes of a `MultiprocessIterator`."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import pickle
import random as python_random
import signal
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from renga_core import random
from renga_core.dataset import Dataset
from renga_data.iterators.examples import read_examples
from renga_data.iterators.shared_memory import Attached, Packet, SlotAddress, pack

__all__ = ["begin", "make_examples", "signals_blocked"]

_FOR_THE_PARENT = {signal.SIGINT, signal.SIGUSR1}
_dataset: Dataset
_attached: dict[int, Attached] = {}


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Let processes that the parent starts in a ``with`` block know nothing of Ctrl-C.

    It reaches all processes of a terminal, and SIGUSR1, which asks the ranks of MPI to stop, all that a rank has
    started. But they are for the parent, which ends the workers when it is done. They are blocked until a worker has
    got so far as to ignore them (other helpers keep them blocked); the parent gets them at the end of the block.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _FOR_THE_PARENT)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin(dataset: Dataset) -> None:
    """Prepare the process, once."""
    global _dataset
    _dataset = dataset
    for number in _FOR_THE_PARENT:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _FOR_THE_PARENT)
    # A crash in native code tells on standard error where it was.
    faulthandler.enable(2)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def make_examples(indices: list[int], seed: int, address: SlotAddress | None) -> Packet:
    """Get examples from the data set.

    Args:
        indices: Which ones.
        seed: Seed of `renga_core.random` and of Python's `random` for the first of them; the next has the next seed,
            and so on. So random transforms are the same whichever process does them, and differ between examples.
        address: Where to put the arrays' data.
    """
    examples: list[Any] = []
    for number, index in enumerate(indices, seed):
        random.seed(number)
        python_random.seed(number)  # what transforms of `renga.cv` draw from; forked, all workers would draw the same
        try:
            examples += read_examples(_dataset, [index], number)
        except Exception as error:
            raise _sendable(error)  # noqa: B904 - it is the same error
    return pack(examples, address, _attached)


def _sendable(error: Exception) -> Exception:
    """`error`, or a RuntimeError that tells of it if it cannot be sent to the parent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)))
    return error


def _end_with_parent() -> None:
    """Leave when the parent has gone: killed, it could not say goodbye."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # this is a worker
    parent.join()
    os._exit(1)
