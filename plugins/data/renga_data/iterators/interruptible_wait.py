"""Waiting for workers, which may never answer; Ctrl-C ends the wait.

A `Trainer` records Ctrl-C and handles it later. If a worker hangs, the program would never get to handle it. So code
that waits for workers regularly checks whether the user wants to stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any

__all__ = ["PATIENCE", "StoppedWaiting", "stop_asked_by", "wait_for"]

PATIENCE = 3.0
"""Seconds that workers get to finish their work after the user wants to stop."""

_LOOK_EVERY = 0.5  # seconds
_asked: list[Callable[[], bool]] = []


class StoppedWaiting(KeyboardInterrupt):
    """The user pressed Ctrl-C while waiting for a batch, which did not come. The iterator keeps its old position."""


@contextmanager
def stop_asked_by(asked: Callable[[], bool]) -> Iterator[None]:
    """In a ``with`` block, let `wait_for` give up when this function returns that the user wants to stop."""
    _asked.append(asked)
    try:
        yield
    finally:
        _asked.remove(asked)


def wait_for(future: Future[Any], look: Callable[[], None], every: float = _LOOK_EVERY) -> None:
    """Wait until a future is done; its error, if any, is not raised.

    Args:
        future: The result that a worker will set.
        look: Called from time to time; may raise an error.
        every: Interval of the calls, in seconds.

    Raises:
        StoppedWaiting: The user wants to stop, and `PATIENCE` seconds have passed.
    """
    stop_at = float("inf")
    while not wait([future], min(every, _LOOK_EVERY)).done:
        look()
        now = time.monotonic()
        if stop_at == float("inf") and any(asked() for asked in _asked):
            stop_at = now + PATIENCE
        if now >= stop_at:
            raise StoppedWaiting(f"the user wants to stop, and no batch has come for {PATIENCE} s")
