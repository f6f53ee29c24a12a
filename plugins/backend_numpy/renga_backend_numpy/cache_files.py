"""Files of a cache: a SHA-256 digest, then the content. A file is written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

__all__ = ["DamagedFile", "folder", "read", "write"]


class DamagedFile(Exception):
    """The content of a file does not have the digest that the file begins with."""


def folder(variable: str, name: str) -> Path:
    """Return the folder of a cache. `write` creates it.

    Args:
        variable: The environment variable that can give it.
        name: Its name in ``renga``, in the user's cache folder (``XDG_CACHE_HOME``, or ``~/.cache``).
    """
    named = os.environ.get(variable)
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "renga" / name


def read(path: Path) -> bytes | None:
    """Return the content of a file; None if there is none, or none that can be read.

    Raises:
        DamagedFile: The digest is wrong.
    """
    try:
        written = path.read_bytes()
    except OSError:
        return None
    digest, content = written[:32], written[32:]
    if hashlib.sha256(content).digest() != digest:
        raise DamagedFile(f"{path} is damaged")
    return content


def write(path: Path, content: bytes) -> None:
    """Write or replace a file, atomically.

    Raises:
        OSError: The folder is not writable, or the disk is full. Nothing is left behind.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            file.write(hashlib.sha256(content).digest() + content)
            file.close()
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)
            raise
