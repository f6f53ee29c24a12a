"""A folder for the length of a `with` block."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["tempdir"]


@contextmanager
def tempdir(*, suffix: str | None = None, prefix: str | None = None, dir: str | None = None) -> Iterator[str]:
    """Make a folder, give its path, and remove it with all that is in it afterwards.

    Args:
        suffix, prefix, dir: As of `tempfile.TemporaryDirectory`.
    """
    with tempfile.TemporaryDirectory(suffix=suffix, prefix=prefix, dir=dir) as path:
        yield path
