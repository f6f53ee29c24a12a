"""Files that are either written whole or not at all."""

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
"""What `atomic_path` has given to writers of this process."""


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb", encoding: str | None = None) -> Iterator[IO[Any]]:
    """Open a file to be written; it takes the place of `path` when the ``with`` block ends well, and not before.

    Until then the bytes are in a hidden file of the same folder, which is removed if the block raises. A process that
    is killed, or a machine that loses power, leaves the old file or the new one, never a part of it. What it leaves of
    the hidden file is removed at the next write into that folder.

    Args:
        path: File to write. If it is a symbolic link, the file it points at is replaced.
        mode: ``"wb"`` for bytes, ``"w"`` for text.
        encoding: Of text; UTF-8 if not given.

    Raises:
        OSError: The folder is missing, not writable or full; `path` is as it was.
    """
    if mode not in ("wb", "w"):
        raise ValueError(f"mode is 'wb' or 'w', not {mode!r}")
    # Rather than mkstemp: the file gets the permissions that the user's umask gives any new file.
    encoding = None if "b" in mode else encoding or "utf-8"
    with atomic_path(path) as temporary, open(temporary, mode, encoding=encoding) as file:
        yield file


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Like `atomic_write`, for libraries that take a path: give them this one. The file does not exist yet.

    A writer may be given the path and use `atomic_write` itself: it writes that very file then.
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
        with suppress(FileNotFoundError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            # A full disk does not say which file it has no room for.
            error.filename = str(path)
        raise
    finally:
        _temporaries.discard(temporary)
        if lock is not None:
            lock.release()
    # The new name, too, shall last through a power cut. Some file systems cannot do that for a folder.
    with suppress(OSError):
        _sync(target.parent)


def remove_leftovers(folder: str | os.PathLike[str]) -> None:
    """Remove the hidden files that writers which were killed have left in `folder`.

    Each writer holds a lock as long as it writes, so what a living one writes is left alone. Locks of other hosts need
    not be seen here: what one of those has left is removed when nobody has touched it for a day.
    """
    try:
        locks = [entry.path for entry in os.scandir(folder) if _LOCK_NAME.fullmatch(entry.name)]
    except OSError:
        return
    for path in locks:
        # It may have been finished meanwhile, or be somebody else's.
        with suppress(OSError):
            lock = FileLock.take(path, create=False)
            if lock is not None and _is_dead(lock, path):
                Path(path.removesuffix(_LOCK)).unlink(missing_ok=True)
                lock.release()
            elif lock is not None:
                lock.leave()


def _claim(target: Path) -> tuple[Path, FileLock | None]:
    """A name that nobody has, and the lock that says so; None where the file system has no locks."""
    while True:
        temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
        try:
            lock = FileLock.take(f"{temporary}{_LOCK}")
            if lock is not None:
                with suppress(OSError):  # of a full disk: the lock holds all the same
                    lock.write(os.uname().nodename.encode())
                return temporary, lock
            # Who looks for leftovers was faster.
        except OSError:
            # What is wrong, if more than that, shows at once, where the file itself is made.
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
