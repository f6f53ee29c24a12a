"""Waiting for workers, which may never answer; Ctrl-C ends the wait.

Where Ctrl-C is noted, to be acted on later (as a `Trainer` does), a worker that hangs would keep the program from ever
acting on it. Whoever waits for workers therefore looks now and then whether somebody wants to stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any

__all__ = ["PATIENCE", "StoppedWaiting", "stop_asked_by", "wait_for"]

PATIENCE = 3.0
"""Seconds that workers get to finish what they are at, when nobody wants it any more."""

_LOOK_EVERY = 0.5  # seconds
_asked: list[Callable[[], bool]] = []


class StoppedWaiting(KeyboardInterrupt):
    """Ctrl-C was pressed while a batch was waited for, and it did not come. The iterator is where it was before it."""


@contextmanager
def stop_asked_by(asked: Callable[[], bool]) -> Iterator[None]:
    """In a ``with`` block, let `wait_for` give up when this function says that somebody wants to stop."""
    _asked.append(asked)
    try:
        yield
    finally:
        _asked.remove(asked)


def wait_for(future: Future[Any], look: Callable[[], None], every: float = _LOOK_EVERY) -> None:
    """Wait until a future is done; its error, if it has one, is not raised.

    Args:
        future: What workers are to give.
        look: Called now and then meanwhile; may raise.
        every: How often, in seconds.

    Raises:
        StoppedWaiting: Somebody wants to stop, and `PATIENCE` is over.
    """
    stop_at = float("inf")
    while not wait([future], min(every, _LOOK_EVERY)).done:
        look()
        now = time.monotonic()
        if stop_at == float("inf") and any(asked() for asked in _asked):
            stop_at = now + PATIENCE
        if now >= stop_at:
            raise StoppedWaiting(f"the user wants to stop, and no batch has come for {PATIENCE} s")
