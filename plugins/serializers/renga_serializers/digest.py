"""A digest of a whole file, which detects damage before any content is used.

Each format has a place for it that other readers skip: the comment at the end of an npz file (`archive`), the user
block before an HDF5 file, the metadata of a safetensors file. It is a SHA-256 of CRC-32 checksums: npz files already
contain these, and for other files they take a third of the time of SHA-256. It detects damage, not manipulation,
because anybody can compute a new digest. Files of other programs have no digest, and only their format is checked.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from typing import IO

__all__ = ["ALTERED", "check_label", "content_digest", "label"]

ALTERED = "its content does not match its digest: it has been altered since it was written"

_BLOCK = 1 << 20
_TRACE = re.compile(rb"renga|sha256", re.IGNORECASE)


def content_digest(file: IO[bytes], head: bytes = b"") -> bytes:
    """The digest of an open file from its current position to its end, in hexadecimal digits.

    Args:
        file: The file.
        head: Bytes that count as preceding the file.
    """
    found = hashlib.sha256(b"%08x" % zlib.crc32(head))
    while block := file.read(_BLOCK):
        found.update(b"%08x" % zlib.crc32(block))
    return found.hexdigest().encode()


def label(digest: bytes) -> bytes:
    """A digest with a label, as it is written into a file."""
    return b"renga sha256 " + digest


def check_label(found: bytes, expected: bytes) -> None:
    """Compare the stored digest with the correct one. Without a label, there is no digest, and nothing is compared.

    Raises:
        ValueError: They differ: the content or the digest has been altered.
    """
    if found != expected and _TRACE.search(found):
        raise ValueError(ALTERED)
