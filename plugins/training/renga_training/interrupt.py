"""Handling Ctrl-C between two iterations.

A KeyboardInterrupt may come at any instruction, for example when half of the parameters are updated. A snapshot of that
state would be inconsistent. So the first Ctrl-C is only recorded, and handled where the state is consistent.
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
    """Whether the user wants to stop.

    Attributes:
        requested: Set by the first Ctrl-C. Clear it when you have handled it.
    """

    requested: bool = False


@contextmanager
def deferred_interrupt(announce: bool = True) -> Iterator[Interruption]:
    """Record the first Ctrl-C (SIGINT) instead of raising KeyboardInterrupt; the second one raises it at once.

    The code in the ``with`` block tests `Interruption.requested` where it can stop. If the block ends without handling
    a request, KeyboardInterrupt is raised then.

    Ctrl-C is unchanged where it would not raise KeyboardInterrupt: in other threads, with a signal handler of the
    program's own, or if the signal is ignored.

    Args:
        announce: Print a line to standard error at the first Ctrl-C.
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
            # Not through sys.stderr: the signal may have interrupted a write to it.
            with suppress(OSError):
                os.write(2, _NOTE)

    signal.signal(signal.SIGINT, note)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if interruption.requested:
        raise KeyboardInterrupt
