"""Errors of files: one sentence that says what is wrong, with the file's name."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from renga_core.serializers import FileDamaged, FileRefused
from renga_serializers.limits import excess

__all__ = ["check_growth", "reading"]

_OF_THE_CONTENT = {None, errno.EINVAL, errno.EOVERFLOW}


@contextmanager
def reading(file: str, kind: str) -> Iterator[None]:
    """While the block reads a file, convert errors that a damaged file causes in a library to `FileDamaged`.

    Errors in opening the file or reading the disk are not converted.

    Args:
        file: Name of the file.
        kind: The expected kind of file: "an image".
    """
    try:
        yield
    except FileRefused:
        raise
    except Exception as error:  # Pillow, zipfile and others raise many types for damaged files
        # An OSError may also be a library's complaint about the content, or about a position in the file.
        if isinstance(error, OSError) and error.errno not in _OF_THE_CONTENT:
            raise
        raise FileDamaged(file, f"{type(error).__name__}: {error}", kind) from error


def check_growth(file: str, unpacked: int, packed: int, free: int = 1 << 26) -> None:
    """Raise an error if a file would need far more memory than its size.

    Args:
        file: Name of the file.
        unpacked: Bytes of memory according to the file.
        packed: Size of the file in bytes.
        free: This many bytes are always allowed.

    Raises:
        FileRefused: The file would need too much memory.
    """
    if too_much := excess(unpacked, packed, free):
        raise FileRefused(file, f"it {too_much}. It is not read.")
