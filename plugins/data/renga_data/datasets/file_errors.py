"""Errors of files from elsewhere: what is wrong with one is said in one sentence, with its name."""

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
    """While the block reads a file, make `FileDamaged` of what a damaged one makes a library raise.

    What keeps the file from being opened, or the disk from being read, stays as it is.

    Args:
        file: Its name.
        kind: What it should be: "an image".
    """
    try:
        yield
    except FileRefused:
        raise
    except Exception as error:  # what a damaged file makes Pillow, zipfile and others raise has no common type
        # An OSError may also be what a library says of the content, or of a place in the file that it was sent to.
        if isinstance(error, OSError) and error.errno not in _OF_THE_CONTENT:
            raise
        raise FileDamaged(file, f"{type(error).__name__}: {error}", kind) from error


def check_growth(file: str, unpacked: int, packed: int, free: int = 1 << 26) -> None:
    """Raise an error if a file would take far more memory than its size.

    Args:
        file: Its name.
        unpacked: Bytes of memory that it says it takes.
        packed: Bytes of the file.
        free: So many bytes may be taken however short it is.

    Raises:
        FileRefused: It would.
    """
    if too_much := excess(unpacked, packed, free):
        raise FileRefused(file, f"it {too_much}. It is not read.")
