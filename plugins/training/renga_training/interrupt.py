"""Ctrl-C between two iterations.

A KeyboardInterrupt may come between any two instructions: when half of the parameters are updated, say. A snapshot of
that would not be a state that the run ever had. So the first Ctrl-C is only noted, and acted on where the state is
whole.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

__all__ = ["Interruption", "deferred_interrupt"]

_NOTE = b"\nStopping after this iteration. Press Ctrl-C again to stop at once.\n"


@dataclass
class Interruption:
    """Whether somebody wants to stop.

    Attributes:
        requested: Set by the first Ctrl-C. Clear it when it has been acted on.
    """

    requested: bool = False


@contextmanager
def deferred_interrupt(announce: bool = True) -> Iterator[Interruption]:
    """Note the first Ctrl-C (SIGINT) instead of raising KeyboardInterrupt; the second one raises it at once.

    The code in the ``with`` block looks at `Interruption.requested` where it can stop. If it ends without having acted
    on a request, KeyboardInterrupt is raised then.

    Ctrl-C is left as it is where it would not have raised KeyboardInterrupt: in other threads than the main one, under
    a handler of the program's own, and where the signal is ignored.

    Args:
        announce: Say on standard error that the first one was noted.
    """
    interruption = Interruption()
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interruption
        return

    def note(number: int, frame: FrameType | None) -> None:
        if interruption.requested:
            signal.default_int_handler(number, frame)
        interruption.requested = True
        if announce:
            # Not through sys.stderr: the signal may have come while that was being written to.
            with suppress(OSError):
                os.write(2, _NOTE)

    signal.signal(signal.SIGINT, note)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if interruption.requested:
        raise KeyboardInterrupt
