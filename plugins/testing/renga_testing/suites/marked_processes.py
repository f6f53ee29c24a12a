"""Finds processes that a tested provider has started, by a mark in their environment."""

from __future__ import annotations

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["VARIABLE", "MarkedProcesses"]

VARIABLE = "RENGA_CONFORMANCE_MARK"
"""The variable that carries the mark."""


class MarkedProcesses:
    """Processes that have inherited the mark: children, grandchildren, and orphans.

    Attributes:
        mark: The value of `VARIABLE` to start them with.
    """

    def __init__(self) -> None:
        self.mark = secrets.token_hex(8)

    def left(self, seconds: float) -> list[int]:
        """Return the ids of processes still running after at most this many seconds.

        The list is empty on systems without ``/proc``, because there the environments of processes cannot be read.
        """
        deadline = time.monotonic() + seconds
        while (found := self._found()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found

    def _found(self) -> list[int]:
        wanted, found = f"{VARIABLE}={self.mark}".encode(), []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended, or belongs to another user
                if int(folder.name) != os.getpid() and wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found
