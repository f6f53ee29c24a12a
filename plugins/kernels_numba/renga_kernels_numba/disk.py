"""Machine code kept on disk: each loop is compiled once for a processor, also where several processes start at once.

The folder is the one that the environment variable ``RENGA_NUMBA_CACHE`` names, or ``renga/numba`` in the user's cache
folder (``XDG_CACHE_HOME``, or ``~/.cache``). A file is the SHA-256 digest of the code, then the code: a damaged file
counts as none. Where the folder cannot be written, code lives as long as the process.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import logging
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["VARIABLE", "folder", "kept"]

VARIABLE = "RENGA_NUMBA_CACHE"

_LOG = logging.getLogger("renga.kernels_numba")


def folder() -> Path:
    """Where code is kept. Making it is up to `kept`."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "renga" / "numba"


def kept(key: str, make: Callable[[], bytes]) -> bytes:
    """The code of that key; made and kept if there is none.

    Args:
        key: A file name that tells apart all that the code depends on.
        make: Compiles. For one key, it is called by one process at a time.
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
        found = _read(path)  # by another process, meanwhile
        if found is None:
            found = make()
            _write(path, found)
    return found


def _read(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, code = content[:32], content[32:]
    return code if hashlib.sha256(code).digest() == digest else None


def _write(path: Path, code: bytes) -> None:
    """Whole or not at all. Without room for it, the code is compiled again in the next process."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(hashlib.sha256(code).digest() + code)
                file.close()
                os.replace(file.name, path)
            except OSError:
                os.unlink(file.name)
                raise
    except OSError as error:
        _complain(path.parent, str(error))


@functools.cache
def _complain(where: Path, error: str) -> None:
    """Said once for each folder and error."""
    _LOG.warning(
        "Renga cannot keep compiled loops in %s: %s. Each process compiles them again. Next: set %s to a folder that "
        "can be written",
        where,
        error,
        VARIABLE,
    )


@contextmanager
def _locked(file: int, key: str) -> Iterator[None]:
    """No other process is here with this key: one byte of the file is locked, whose place follows from it.

    Where the file system has no locks, one process may compile what another does.
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
