"""A lock that is a file: between processes, and gone with the process that held it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

__all__ = ["FileLock"]

_held: set[FileLock] = set()


class FileLock:
    """Held by one process at a time, from `take` until `release`, or until that process ends, however it ends.

    A process that it forks does not hold it.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def take(cls, path: str | os.PathLike[str], *, wait: bool = False, create: bool = True) -> FileLock | None:
        """Take the lock.

        Args:
            path: The file. It is there as long as somebody holds the lock, and stays after one who was killed.
            wait: Until others have let go of it.
            create: Make the file if there is none.

        Returns:
            The lock; None if somebody else holds it, in this process or another, and `wait` is false.

        Raises:
            OSError: The file cannot be made or opened, or the file system has no locks.
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
            # Its last holder has removed it: somebody else may hold a new one.
            os.close(descriptor)

    def write(self, content: bytes) -> None:
        """Leave something in the file, for those who find it locked."""
        os.pwrite(self._descriptor, content, 0)
        os.ftruncate(self._descriptor, len(content))

    def read(self) -> bytes:
        """What the last holder has left in the file: some thousand bytes of it at most."""
        return os.pread(self._descriptor, 4096, 0)

    def release(self) -> None:
        """Remove the file and let go of the lock. In a process that was forked meanwhile, do nothing."""
        if self in _held:
            self._path.unlink(missing_ok=True)
            self.leave()

    def leave(self) -> None:
        """Let go of the lock, and leave the file with what is in it."""
        _held.discard(self)
        os.close(self._descriptor)


def _is_there(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _let_go_in_child() -> None:
    """A child that outlives its parent would keep the lock otherwise: workers of an iterator do, for a while."""
    for lock in tuple(_held):
        lock.leave()


os.register_at_fork(after_in_child=_let_go_in_child)
