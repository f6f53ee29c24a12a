"""Files that are either written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

__all__ = ["atomic_path", "atomic_write", "remove_leftovers"]


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb", encoding: str | None = None) -> Iterator[IO[Any]]:
    """Open a file to be written; it takes the place of `path` when the ``with`` block ends well, and not before.

    Until then the bytes are in a hidden file of the same folder, which is removed if the block raises. A process that
    is killed, or a machine that loses power, leaves the old file or the new one, never a part of it.

    Args:
        path: File to write. If it is a symbolic link, the file it points at is replaced.
        mode: ``"wb"`` for bytes, ``"w"`` for text.
        encoding: Of text; UTF-8 if not given.

    Raises:
        OSError: The folder is missing, not writable or full; `path` is as it was.
    """
    if mode not in ("wb", "w"):
        raise ValueError(f"mode is 'wb' or 'w', not {mode!r}")
    # "x" rather than mkstemp: the file gets the permissions that the user's umask gives any new file.
    encoding = None if "b" in mode else encoding or "utf-8"
    with atomic_path(path) as temporary, open(temporary, mode.replace("w", "x"), encoding=encoding) as file:
        yield file


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """As `atomic_write`, for writers that want a path: give them this one. There is no file there at first."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
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
    # The new name, too, shall last through a power cut. Some file systems cannot do that for a folder.
    with suppress(OSError):
        _sync(target.parent)


def remove_leftovers(folder: str | os.PathLike[str], pattern: str) -> None:
    """Remove the hidden files that killed writers of files matching `pattern` (``fnmatch``'s) have left in `folder`."""
    for leftover in Path(folder).glob(f".{pattern}.????????.tmp"):
        leftover.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
