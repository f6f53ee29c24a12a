"""Semaphores without a name.

Those of `multiprocessing` have one in ``/dev/shm`` unless processes are forked, which stays there when all processes
that know it are killed. An event counter (``eventfd(2)``) is a file descriptor, and ends with the last that has it.
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
    """A semaphore that processes share. It does what the queues of `multiprocessing` ask of theirs.

    It gets to a process as these do: forked with it, or pickled among the arguments with which the process is started.

    Args:
        value: How often it can be acquired; 1 makes it a lock.
    """

    def __init__(self, value: int = 1) -> None:
        self._own(os.eventfd(value, os.EFD_SEMAPHORE | os.EFD_NONBLOCK | os.EFD_CLOEXEC))

    @property
    def _semlock(self) -> Semaphore:
        """Where the queues look for `_is_zero`."""
        return self

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take one, or wait for it, at most `timeout` seconds; False if there is none."""
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
        """Give one back."""
        os.eventfd_write(self._file, 1)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()

    def _is_zero(self) -> bool:
        """Whether there is none now."""
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
