"""Settings from the launcher to its processes, and files by which these report their status."""

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
"""Environment variable with the settings."""


class Told(NamedTuple):
    """Settings of a fault-tolerant job.

    Attributes:
        ranks: Number of places of the group. The first processes have them; the others are spares.
        least: The job ends with fewer ranks than this.
        folder: Folder in which processes on the launcher's machine report how they have ended.
        respawn: Number of dormant processes that can replace dead ranks.
        waits: Whether `recover` waits for them. Otherwise fewer ranks continue meanwhile.
        most: Largest number of ranks after requests for more, and number of dormant processes for these requests; ranks
            that leave are not replaced. 0: the number of places is fixed.
        spares: Number of processes that wait in the program. Processes of higher ranks are dormant.
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
        """The first dormant rank, if there is one: those for dead ranks come first, then those for requests."""
        return self.ranks + self.spares

    @property
    def first_growing(self) -> int:
        """The first rank that is dormant until another rank is requested, if there is one."""
        return self.first_dormant + self.respawn

    def environment(self) -> dict[str, str]:
        """Return the environment variables of the processes, also those that let Open MPI end each process separately.

        Otherwise processes wait for each other at their end, which may take forever after deaths (``PMIx_Fence``).
        """
        by_itself = {"OMPI_MCA_async_mpi_finalize": "1", "PRTE_MCA_state_base_recoverable": "1"}
        return {VARIABLE: json.dumps(self._asdict()), **by_itself}


def told() -> Told | None:
    """Return the settings; None if ``renga launch --fault-tolerant`` did not start this process."""
    text = os.environ.get(VARIABLE)
    return None if not text else Told(**json.loads(text))


def refuse_dormant(name: str, size: int) -> None:
    """Raise an error if processes of the group cannot take part because they have not started the program.

    Args:
        name: Name of the communicator.
        size: Number of processes.

    Raises:
        RengaError: Some processes have not started the program.
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
    """Tell the launcher that processes will report their ends."""
    what = told()
    if what is not None and os.path.isdir(what.folder):
        Path(what.folder, _USED).touch()


def note_end(status: int | None) -> None:
    """Report the exit status of this process, because that of ``mpiexec`` may differ.

    Args:
        status: The status; None if it does not count: of a spare, or of a rank that has left.
    """
    what = told()
    if what is not None and os.path.isdir(what.folder):
        Path(what.folder, str(os.getpid())).write_text("" if status is None else str(status))


def is_used(folder: str) -> bool:
    """Whether processes report their ends."""
    return Path(folder, _USED).exists()


def note_commit(folder: str) -> None:
    """Report that a step is done."""
    if os.path.isdir(folder):
        Path(folder, _COMMITTED).touch()


def has_committed(folder: str) -> bool:
    """Whether a step is known to be done. Ranks on other machines do not report it."""
    return Path(folder, _COMMITTED).exists()


def ends(folder: str) -> dict[int, int | None]:
    """Return the reported statuses by process id."""
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
    """Return the number of requests for another rank. Ranks on other machines do not see requests."""
    path = Path(folder, _REQUESTS)
    return int(path.read_text()) if path.exists() else 0


@contextmanager
def note_connecting() -> Iterator[None]:
    """Report that this process waits for MPI to connect all ranks, and when MPI has done so."""
    what = told()
    if what is None or not os.path.isdir(what.folder):
        yield
        return
    Path(what.folder, f"{_CONNECTING}{os.getpid()}").touch()
    yield
    Path(what.folder, _CONNECTED).touch()


def connecting(folder: str) -> set[int]:
    """Return the processes that wait for MPI to connect all ranks; none if MPI has connected one of them."""
    if {_USED, _CONNECTED} & set(os.listdir(folder)):
        return set()
    return users(folder)


def users(folder: str) -> set[int]:
    """Return the processes that use MPI through this package."""
    return {int(name.removeprefix(_CONNECTING)) for name in os.listdir(folder) if name.startswith(_CONNECTING)}


def note_mpi(folder: str) -> None:
    """Tell dormant processes that the program uses MPI."""
    Path(folder, _HAS_MPI).touch()


def may_connect(folder: str) -> bool:
    """Whether this dormant process may start MPI: only if the program uses MPI.

    On other machines than the launcher's, this is not known, and the result is True.
    """
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return True
    return _HAS_MPI in names or any(name.startswith(_CONNECTING) for name in names)
