"""Cache of machine code on disk: each loop is compiled once per processor, even if several processes start at once.

The folder is given by the environment variable ``RENGA_NUMBA_CACHE``; default is ``renga/numba`` in the user's cache
folder (``XDG_CACHE_HOME``, or ``~/.cache``). A file contains the SHA-256 digest of the code, then the code; a damaged
file is ignored. If the folder is not writable, each process compiles its own code.
"""

from __future__ import annotations

import fcntl
import functools
import logging
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from renga_backend_numpy import cache_files

__all__ = ["VARIABLE", "folder", "kept"]

VARIABLE = "RENGA_NUMBA_CACHE"

_LOG = logging.getLogger("renga.kernels_numba")


def folder() -> Path:
    """Return the folder of the cache. `kept` creates it."""
    return cache_files.folder(VARIABLE, "numba")


def kept(key: str, make: Callable[[], bytes]) -> bytes:
    """Return the code for a key; compile and store it if there is none.

    Args:
        key: File name that identifies everything that the code depends on.
        make: Function that compiles. For one key, only one process calls it at a time.
    """
    path = folder() / key
    found = _read(path)
    if found is not None:
        return found
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = open(path.parent / "lock", "a")  # noqa: SIM115 - closed below
    except OSError as error:
        _complain(path.parent, str(error))
        return make()
    with lock, _locked(lock.fileno(), key):
        found = _read(path)  # another process may have stored it meanwhile
        if found is None:
            found = make()
            _write(path, found)
    return found


def _read(path: Path) -> bytes | None:
    try:
        return cache_files.read(path)
    except cache_files.DamagedFile:
        return None


def _write(path: Path, code: bytes) -> None:
    """Write the code. If there is no space, the next process compiles it again."""
    try:
        cache_files.write(path, code)
    except OSError as error:
        _complain(path.parent, str(error))


@functools.cache
def _complain(where: Path, error: str) -> None:
    """Warn once per folder and error."""
    _LOG.warning(
        "Renga cannot keep compiled loops in %s: %s. Each process compiles them again. Next: set %s to a folder that "
        "can be written",
        where,
        error,
        VARIABLE,
    )


@contextmanager
def _locked(file: int, key: str) -> Iterator[None]:
    """Exclude other processes with this key, by a lock on one byte of a file at a position derived from the key.

    On file systems without locks, two processes may compile the same loop.
    """
    place = zlib.crc32(key.encode())
    try:
        fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)
