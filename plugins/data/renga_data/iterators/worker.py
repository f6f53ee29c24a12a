"""The code of the processes of a `MultiprocessIterator`."""

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
    """Make processes that start in a ``with`` block ignore Ctrl-C.

    Ctrl-C reaches all processes of a terminal, and SIGUSR1, which asks the ranks of MPI to stop, all processes started
    by a rank. But they are meant for the parent, which ends the workers itself. The signals are blocked until a worker
    ignores them (other helper processes keep them blocked); the parent receives them at the end of the block.
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
    # After a crash in native code, print a traceback to standard error.
    faulthandler.enable(2)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def make_examples(indices: list[int], seed: int, address: SlotAddress | None) -> Packet:
    """Read examples of the data set.

    Args:
        indices: The indexes.
        seed: Seed of `renga_core.random` and of Python's `random` for the first example; the next one uses the next
            seed, and so on. So random transforms do not depend on the process, and differ between examples.
        address: The slot for the arrays' data.
    """
    examples: list[Any] = []
    for number, index in enumerate(indices, seed):
        random.seed(number)
        python_random.seed(number)  # used by transforms of `renga.cv`; forked workers would all draw the same numbers
        try:
            examples += read_examples(_dataset, [index], number)
        except Exception as error:
            raise _sendable(error)  # noqa: B904 - it is the same error
    return pack(examples, address, _attached)


def _sendable(error: Exception) -> Exception:
    """Return `error`, or a RuntimeError that describes it if it cannot be sent to the parent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)))
    return error


def _end_with_parent() -> None:
    """Exit when the parent has ended: if it was killed, it could not end this process."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # this is a worker
    parent.join()
    os._exit(1)
