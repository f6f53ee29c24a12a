"""A lock for one process at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from renga_serializers.file_lock import FileLock

__all__ = ["locked"]


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let one process (and one thread) at a time into a ``with`` block for `path`; the others wait.

    The lock is a hidden file beside `path`, which is removed afterwards. If its owner is killed, it is released.

    Raises:
        OSError: The folder is missing or not writable.
    """
    path = Path(path)
    lock = FileLock.take(path.with_name(f".{path.name}.lock"), wait=True)
    assert lock is not None  # since it has waited
    try:
        yield
    finally:
        lock.release()
