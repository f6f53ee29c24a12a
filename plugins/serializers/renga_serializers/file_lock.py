"""`FileLock`: a lock between processes, released when its owner ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

__all__ = ["FileLock"]

_held: set[FileLock] = set()


class FileLock:
    """Held by one process at a time, from `take` until `release`, or until the process ends in any way.

    A forked child process does not hold it.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def take(cls, path: str | os.PathLike[str], *, wait: bool = False, create: bool = True) -> FileLock | None:
        """Take the lock.

        Args:
            path: The lock file. It exists while the lock is held, and remains if its owner was killed.
            wait: Wait until it is released.
            create: Create the file if it does not exist.

        Returns:
            The lock; None if this or another process holds it and `wait` is False.

        Raises:
            OSError: The file cannot be created or opened, or the file system has no locks.
        """
        path = Path(path)
        while True:
            descriptor = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                os.close(descriptor)
                return None
            except BaseException:
                os.close(descriptor)
                raise
            if _is_there(descriptor, path):
                lock = cls(path, descriptor)
                _held.add(lock)
                return lock
            # Its last holder has removed it: another process may hold a new one.
            os.close(descriptor)

    def write(self, content: bytes) -> None:
        """Write information into the file, for processes that find it locked."""
        os.pwrite(self._descriptor, content, 0)
        os.ftruncate(self._descriptor, len(content))

    def read(self) -> bytes:
        """The information that the last holder wrote, at most some thousand bytes."""
        return os.pread(self._descriptor, 4096, 0)

    def release(self) -> None:
        """Remove the file and release the lock. In a forked process, do nothing."""
        if self in _held:
            self._path.unlink(missing_ok=True)
            self.leave()

    def leave(self) -> None:
        """Release the lock, and keep the file with its information."""
        _held.discard(self)
        os.close(self._descriptor)


def _is_there(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _let_go_in_child() -> None:
    """Release the lock in a child process, which may live longer than its parent, as workers of an iterator do."""
    for lock in tuple(_held):
        lock.leave()


os.register_at_fork(after_in_child=_let_go_in_child)
