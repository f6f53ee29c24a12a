"""A temporary folder for a `with` block."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["tempdir"]


@contextmanager
def tempdir(*, suffix: str | None = None, prefix: str | None = None, dir: str | None = None) -> Iterator[str]:
    """Create a folder and return its path; afterwards remove it with all its contents.

    Args:
        suffix, prefix, dir: See `tempfile.TemporaryDirectory`.
    """
    with tempfile.TemporaryDirectory(suffix=suffix, prefix=prefix, dir=dir) as path:
        yield path
