"""A digest of all that a file holds, so that damage shows before anything is believed that the file says.

Each format has a place for it that other readers skip: the comment at the end of an npz file (`archive`), the user
block before an HDF5 file, the metadata of a safetensors file. It is a SHA-256 of CRC-32 checksums: an npz file has them
already, and elsewhere they take a third of the time that SHA-256 would. It is for damage, not against somebody who
would compute a new one. Files of other programs have none, and are read as far as their format is sound.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from typing import IO

__all__ = ["ALTERED", "check_label", "content_digest", "label"]

ALTERED = "its content is not that of its digest: it has been altered since it was written"

_BLOCK = 1 << 20
_TRACE = re.compile(rb"renga|sha256", re.IGNORECASE)


def content_digest(file: IO[bytes], head: bytes = b"") -> bytes:
    """The digest of an open file, from where it is to its end, as hexadecimal digits.

    Args:
        file: The file.
        head: What counts as being before that.
    """
    found = hashlib.sha256(b"%08x" % zlib.crc32(head))
    while block := file.read(_BLOCK):
        found.update(b"%08x" % zlib.crc32(block))
    return found.hexdigest().encode()


def label(digest: bytes) -> bytes:
    """A digest as it is written into a file, so that it is known for what it is."""
    return b"renga sha256 " + digest


def check_label(found: bytes, expected: bytes) -> None:
    """Compare what is in the place of the label with what should be there. Where there is no label, all is well.

    Raises:
        ValueError: They differ: the content has been altered, or the label.
    """
    if found != expected and _TRACE.search(found):
        raise ValueError(ALTERED)
