"""Unnamed semaphores.

Those of `multiprocessing` have a name in ``/dev/shm`` unless processes are forked, and the name remains when all
processes are killed. An event counter (``eventfd(2)``) is a file descriptor, which disappears with its last owner.
"""

from __future__ import annotations

import os
import select
import time
import weakref
from multiprocessing.reduction import DupFd
from typing import Any

__all__ = ["Semaphore"]


class Semaphore:
    """A semaphore shared by processes, with the methods that queues of `multiprocessing` need.

    Like theirs, it is inherited by forking, or pickled among the arguments of a new process.

    Args:
        value: The initial count; 1 makes it a lock.
    """

    def __init__(self, value: int = 1) -> None:
        self._own(os.eventfd(value, os.EFD_SEMAPHORE | os.EFD_NONBLOCK | os.EFD_CLOEXEC))

    @property
    def _semlock(self) -> Semaphore:
        """Itself, because the queues look here for `_is_zero`."""
        return self

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Decrement, or wait until it is possible, at most `timeout` seconds; False if it was not."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            try:
                os.eventfd_read(self._file)
                return True
            except BlockingIOError:
                left = None if deadline is None else max(0.0, deadline - time.monotonic())
                if not block or left == 0.0:
                    return False
                self._poll(left)

    def release(self) -> None:
        """Increment."""
        os.eventfd_write(self._file, 1)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()

    def _is_zero(self) -> bool:
        """Whether the count is zero."""
        return not self._poll(0.0)

    def _poll(self, seconds: float | None) -> bool:
        poll = select.poll()
        poll.register(self._file, select.POLLIN)
        return bool(poll.poll(None if seconds is None else seconds * 1000))

    def _own(self, file: int) -> None:
        self._file = file
        weakref.finalize(self, os.close, file).atexit = False  # the system does it

    def __getstate__(self) -> Any:
        return DupFd(self._file)

    def __setstate__(self, file: Any) -> None:
        self._own(file.detach())
