"""Atomic writes: a file is complete, or unchanged after an error."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from renga_serializers.file_lock import FileLock

__all__ = ["atomic_path", "atomic_write", "remove_leftovers"]

_LOCK = ".lock"
_LOCK_NAME = re.compile(r"\..+\.[0-9a-f]{8}\.tmp\.lock")
_DAY = 86400.0

_temporaries: set[Path] = set()
"""Paths that `atomic_path` has given to writers of this process."""


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb", encoding: str | None = None) -> Iterator[IO[Any]]:
    """Open a file for writing, which replaces `path` when the ``with`` block ends without an error.

    Until then the bytes are in a hidden file in the same folder, which is removed if the block raises an error. If the
    process is killed or the machine loses power, the old or the new file remains, never a partial one. A remaining
    hidden file is removed at the next write into the folder.

    Args:
        path: File to write. If it is a symbolic link, its target is replaced.
        mode: ``"wb"`` for bytes, ``"w"`` for text.
        encoding: Encoding of text; default: UTF-8.

    Raises:
        OSError: The folder is missing, not writable or full; `path` is unchanged, and the error names it.
    """
    if mode not in ("wb", "w"):
        raise ValueError(f"mode must be 'wb' or 'w', not {mode!r}")
    # Not mkstemp, so that the file gets the permissions of the user's umask.
    encoding = None if "b" in mode else encoding or "utf-8"
    with atomic_path(path) as temporary, open(temporary, mode, encoding=encoding) as file:
        yield file


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Like `atomic_write`, for libraries that take a path: pass them the yielded path. The file does not exist yet.

    If the writer itself calls `atomic_write` with this path, it writes this file.
    """
    target = Path(os.path.realpath(path))
    if target in _temporaries:
        yield target
        return
    remove_leftovers(target.parent)
    temporary, lock = _claim(target)
    _temporaries.add(temporary)
    try:
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(FileNotFoundError, NotADirectoryError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(temporary)):
            # The caller knows nothing of the hidden file. The error of a full disk names no file.
            error.filename = str(path)
            del error.filename2
        raise
    finally:
        _temporaries.discard(temporary)
        if lock is not None:
            lock.release()
    # Make the new name survive a power cut too. Some file systems cannot do this for a folder.
    with suppress(OSError):
        _sync(target.parent)


def remove_leftovers(folder: str | os.PathLike[str]) -> None:
    """Remove the hidden files of killed writers in `folder`.

    Each writer holds a lock while it writes, so files of running writers are left alone. Locks of other hosts may be
    invisible here: their files are removed when they have not changed for a day.
    """
    try:
        locks = [entry.path for entry in os.scandir(folder) if _LOCK_NAME.fullmatch(entry.name)]
    except OSError:
        return
    for path in locks:
        # It may have been finished meanwhile, or belong to another user.
        with suppress(OSError):
            lock = FileLock.take(path, create=False)
            if lock is not None and _is_dead(lock, path):
                Path(path.removesuffix(_LOCK)).unlink(missing_ok=True)
                lock.release()
            elif lock is not None:
                lock.leave()


def _claim(target: Path) -> tuple[Path, FileLock | None]:
    """A new unique name, with a lock for it; None if the file system has no locks."""
    while True:
        temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
        try:
            lock = FileLock.take(f"{temporary}{_LOCK}")
            if lock is not None:
                with suppress(OSError):  # the disk is full: the lock works anyway
                    lock.write(os.uname().nodename.encode())
                return temporary, lock
            # Another process that removes leftovers was faster.
        except OSError:
            # Other problems appear when the file itself is created.
            with suppress(OSError):
                os.unlink(f"{temporary}{_LOCK}")
            return temporary, None


def _is_dead(lock: FileLock, path: str) -> bool:
    if lock.read().decode(errors="replace") in ("", os.uname().nodename):
        return True
    files = [Path(path), Path(path.removesuffix(_LOCK))]
    return all(time.time() - file.stat().st_mtime > _DAY for file in files if file.exists())


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
