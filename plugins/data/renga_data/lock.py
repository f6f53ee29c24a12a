"""One process at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["locked"]


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let one process (and one thread) at a time be in a ``with`` block for `path`; the others wait.

    The lock is a hidden file beside `path`, which is gone afterwards. Whoever holds it and is killed lets go of it.

    Raises:
        OSError: The folder is missing or not writable.
    """
    path = Path(path)
    lock = path.with_name(f".{path.name}.lock")
    while True:
        descriptor = os.open(lock, os.O_CREAT | os.O_RDWR, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if _is_there(descriptor, lock):
            break
        # Its last holder has removed it: somebody else may hold a new one.
        os.close(descriptor)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _is_there(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
