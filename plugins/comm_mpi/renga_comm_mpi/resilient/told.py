"""What the launcher has told its processes, and what these tell it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

__all__ = ["VARIABLE", "Told", "ends", "is_used", "note_end", "note_start", "told"]

VARIABLE = "RENGA_RESILIENT"
"""The environment variable by which it is told."""


class Told(NamedTuple):
    """How a fault-tolerant job was started.

    Attributes:
        ranks: How many places the group has. The first so many processes have them; the others are spares.
        least: With fewer ranks than this the job ends.
        folder: Where processes on the launcher's machine note how they have ended.
        respawn: How many newcomers may be started for dead ranks, in all.
        waits: `recover` waits for them. Otherwise fewer ranks go on meanwhile.
    """

    ranks: int
    least: int
    folder: str
    respawn: int = 0
    waits: bool = False

    def environment(self) -> dict[str, str]:
        """What tells it to processes, and Open MPI to end each by itself.

        Otherwise all wait for each other at their end, which after deaths may take for ever (``PMIx_Fence``).
        """
        return {VARIABLE: json.dumps(self._asdict()), "OMPI_MCA_async_mpi_finalize": "1"}


def told() -> Told | None:
    """What this process was told; None if it was not started by ``renga launch --fault-tolerant``."""
    text = os.environ.get(VARIABLE)
    return None if not text else Told(**json.loads(text))


_USED = "used"


def note_start() -> None:
    """Tell the launcher that processes will note their ends."""
    what = told()
    if what is not None and os.path.isdir(what.folder):
        Path(what.folder, _USED).touch()


def note_end(status: int | None) -> None:
    """Tell the launcher that this process ends with a status, whatever ``mpiexec`` makes of it.

    Args:
        status: None for one that says nothing of the job: a spare, or a rank that has left.
    """
    what = told()
    if what is not None and os.path.isdir(what.folder):
        Path(what.folder, str(os.getpid())).write_text("" if status is None else str(status))


def is_used(folder: str) -> bool:
    """Whether processes note their ends."""
    return Path(folder, _USED).exists()


def ends(folder: str) -> dict[int, int | None]:
    """The statuses that processes have noted, by their numbers."""
    return {
        int(path.name): int(text) if (text := path.read_text()) else None
        for path in Path(folder).iterdir()
        if path.name != _USED
    }
