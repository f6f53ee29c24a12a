"""What the launcher has told its processes, and what these tell it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "VARIABLE",
    "Told",
    "connecting",
    "ends",
    "is_used",
    "note_connecting",
    "note_end",
    "note_request",
    "note_start",
    "requests",
    "told",
]

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
        most: How many ranks there may be after requests for more; ranks that leave are not replaced. 0: the number of
            places stays.
    """

    ranks: int
    least: int
    folder: str
    respawn: int = 0
    waits: bool = False
    most: int = 0

    @property
    def starts_more(self) -> bool:
        """Whether newcomers may be started."""
        return self.respawn > 0 or self.most > 0

    def environment(self) -> dict[str, str]:
        """What tells it to processes, and Open MPI to end each by itself.

        Otherwise all wait for each other at their end, which after deaths may take for ever (``PMIx_Fence``), and
        newcomers that were started together are killed when one of them dies.
        """
        by_itself = {"OMPI_MCA_async_mpi_finalize": "1", "PRTE_MCA_state_base_recoverable": "1"}
        return {VARIABLE: json.dumps(self._asdict()), **by_itself}


def told() -> Told | None:
    """What this process was told; None if it was not started by ``renga launch --fault-tolerant``."""
    text = os.environ.get(VARIABLE)
    return None if not text else Told(**json.loads(text))


_USED, _CONNECTED, _REQUESTS = "used", "connected", "requests"
_CONNECTING = "connecting-"


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
        if path.name.isdigit()
    }


def note_request(folder: str) -> None:
    """Ask ranks on this machine for one more rank."""
    new = Path(folder, f"{_REQUESTS}.new")
    new.write_text(str(requests(folder) + 1))
    new.replace(Path(folder, _REQUESTS))


def requests(folder: str) -> int:
    """How many requests for one more rank there were. None reach ranks on other machines than the launcher's."""
    path = Path(folder, _REQUESTS)
    return int(path.read_text()) if path.exists() else 0


@contextmanager
def note_connecting() -> Iterator[None]:
    """Tell the launcher that this process waits for MPI to connect all ranks, and that MPI has."""
    what = told()
    if what is None or not os.path.isdir(what.folder):
        yield
        return
    Path(what.folder, f"{_CONNECTING}{os.getpid()}").touch()
    yield
    Path(what.folder, _CONNECTED).touch()


def connecting(folder: str) -> set[int]:
    """The processes that wait for MPI to connect all ranks; none when it has connected one of them."""
    names = {path.name for path in Path(folder).iterdir()}
    if names & {_USED, _CONNECTED}:
        return set()
    return {int(name.removeprefix(_CONNECTING)) for name in names if name.startswith(_CONNECTING)}
