"""What the launcher has told its processes, and what these tell it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from renga_core.errors import RengaError

__all__ = [
    "VARIABLE",
    "Told",
    "connecting",
    "ends",
    "has_committed",
    "is_used",
    "may_connect",
    "note_commit",
    "note_connecting",
    "note_end",
    "note_mpi",
    "note_request",
    "note_start",
    "refuse_dormant",
    "requests",
    "told",
    "users",
]

VARIABLE = "RENGA_RESILIENT"
"""The environment variable by which it is told."""


class Told(NamedTuple):
    """How a fault-tolerant job was started.

    Attributes:
        ranks: How many places the group has. The first so many processes have them; the others are spares.
        least: With fewer ranks than this the job ends.
        folder: Where processes on the launcher's machine note how they have ended.
        respawn: How many dormant processes there are to replace dead ranks.
        waits: `recover` waits for them. Otherwise fewer ranks go on meanwhile.
        most: How many ranks there may be after requests for more; ranks that leave are not replaced. 0: the number of
            places stays. So many dormant processes more are there for such requests.
        spares: How many processes wait with the program. Those of higher ranks are dormant.
    """

    ranks: int
    least: int
    folder: str
    respawn: int = 0
    waits: bool = False
    most: int = 0
    spares: int = 0

    @property
    def first_dormant(self) -> int:
        """The first rank that is dormant, if any is: those for dead ranks first, then those for requests."""
        return self.ranks + self.spares

    @property
    def first_growing(self) -> int:
        """The first rank that is dormant until one more rank is asked for, if any is."""
        return self.first_dormant + self.respawn

    def environment(self) -> dict[str, str]:
        """What tells it to processes, and Open MPI to end each by itself.

        Otherwise all wait for each other at their end, which after deaths may take for ever (``PMIx_Fence``).
        """
        by_itself = {"OMPI_MCA_async_mpi_finalize": "1", "PRTE_MCA_state_base_recoverable": "1"}
        return {VARIABLE: json.dumps(self._asdict()), **by_itself}


def told() -> Told | None:
    """What this process was told; None if it was not started by ``renga launch --fault-tolerant``."""
    text = os.environ.get(VARIABLE)
    return None if not text else Told(**json.loads(text))


def refuse_dormant(name: str, size: int) -> None:
    """Raise an error if processes of the group cannot take part because they have not started the program.

    Args:
        name: Of the communicator.
        size: How many processes there are.

    Raises:
        RengaError: There are such.
    """
    what = told()
    if what is not None and what.first_dormant < size:
        raise RengaError(
            f"communicator {name!r}: {size - what.first_dormant} of the {size} processes of this job wait without the "
            "program (--respawn, --max), which only communicator 'resilient' can use. "
            "Next: choose that one, or start the job without these options"
        )


_USED, _CONNECTED, _REQUESTS, _HAS_MPI, _COMMITTED = "used", "connected", "requests", "has-mpi", "committed"
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


def note_commit(folder: str) -> None:
    """Tell the launcher that a step is done."""
    if os.path.isdir(folder):
        Path(folder, _COMMITTED).touch()


def has_committed(folder: str) -> bool:
    """Whether a step is done, as far as is known: ranks on other machines do not tell it."""
    return Path(folder, _COMMITTED).exists()


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
    if {_USED, _CONNECTED} & set(os.listdir(folder)):
        return set()
    return users(folder)


def users(folder: str) -> set[int]:
    """The processes that use MPI through this package."""
    return {int(name.removeprefix(_CONNECTING)) for name in os.listdir(folder) if name.startswith(_CONNECTING)}


def note_mpi(folder: str) -> None:
    """Tell dormant processes that the program uses MPI."""
    Path(folder, _HAS_MPI).touch()


def may_connect(folder: str) -> bool:
    """Whether MPI is to connect this dormant process: not if the program ends before it uses MPI, or never does.

    On other machines than the launcher's, that is not known.
    """
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return True
    return _HAS_MPI in names or any(name.startswith(_CONNECTING) for name in names)
