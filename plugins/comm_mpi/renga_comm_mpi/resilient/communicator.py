"""The communicator `resilient`."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from renga_comm_base.members import Arrangement, Role
from renga_comm_base.resilience import Change, RanksLost, ResilientHost, TooFew
from renga_comm_mpi import agreement, failures, point_to_point, watchdog
from renga_comm_mpi.calls import Pause
from renga_comm_mpi.launching import STOP
from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.resilient.attendant import attendant
from renga_comm_mpi.resilient.family import Family, Vote
from renga_comm_mpi.resilient.group import ResilientGroup
from renga_comm_mpi.resilient.membership import Membership
from renga_comm_mpi.resilient.told import Told, note_commit, note_end, note_start, told
from renga_comm_mpi.world import set_world
from renga_core.communicator import MismatchError
from renga_core.errors import RengaError

__all__ = ["ResilientCommunicator"]

_IS_ON = "OMPI_MCA_mpi_ft_enable"
"""Environment variable that ``mpiexec --with-ft ulfm`` sets to 1."""
_LOOK = 0.01
"""Time in seconds between two checks for newcomers."""
_FINALIZE = 10
"""Time in seconds for MPI to end when the job is over."""


class ResilientCommunicator(ResilientGroup, ResilientHost):
    """A group of processes on MPI that continues when ranks die; see `ResilientBase` for how to use it.

    ``renga launch --fault-tolerant`` starts its ranks, and each process makes it once. A process that was started alone
    is a group of one. SIGTERM asks a rank to leave, unless the program handles it. `finalize` waits until all ranks
    have called it, or have died.

    Raises:
        RengaError: The ranks were not started in that way, this MPI has no fault tolerance, or this process has made
            one already.
    """

    _there = False

    def __init__(self) -> None:
        how = _checked()
        if ResilientCommunicator._there:
            raise RengaError("communicator 'resilient': this process has made one already. Next: use that, or split it")
        super().__init__(Family())
        ResilientCommunicator._there = bool(how.folder)
        self._asked = self._left = False
        self._waits, self._folder, self._has_committed = how.waits, how.folder, False
        self._attendant = attendant()
        self._membership = Membership(how) if self._attendant is None else self._attendant.membership
        if how.folder:
            note_start()
            failures.let_others_go_on(note_end, self._at_exit)
            in_main_thread = threading.current_thread() is threading.main_thread()
            if in_main_thread and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
                signal.signal(signal.SIGTERM, lambda number, frame: self.ask_to_leave())
        failures.install()
        if self._attendant is not None:
            with self._attendant.lock:
                self._be_alone()
        elif self._membership.settle(self._family, self._remake) is None:
            self._be_alone()

    @property
    def is_spare(self) -> bool:  # noqa: D102
        return self._membership.role in (Role.WAITING, Role.STARTING)

    def join(self) -> Change | None:  # noqa: D102
        with _unstoppable():
            if self._membership.role == Role.STARTING:
                self._dismiss_attendant()
                self._membership.arrive()
            while self.is_spare and self._membership.wait():
                self._break_up()
                change = self._membership.settle(self._family, self._remake)
                if change is not None:
                    return self._awaited(change)
                self._be_alone()
        return None

    def commit(self) -> bool:  # noqa: D102
        with self._waiting("commit"):
            there = self._membership
            leaves = self._asked and not there.stays
            grows = there.hears_request() or there.may_grow(len(self._given))
            found = self._family.vote(self._comms[0], Vote.COMMITS, not (leaves or grows or self._has_come()))
        there.has_state = True
        if not self._has_committed:
            self._has_committed = True
            note_commit(self._folder)
        return not found & Vote.STEADY

    def recover(self) -> Change:  # noqa: D102
        return self._awaited(self._recover())

    def _awaited(self, change: Change) -> Change:
        """Return a change together with later ones: if the job waits for newcomers, wait for them. Collective."""
        while self._waits and self._membership.awaits:
            with suppress(RanksLost):
                while self._may_admit() & Vote.NOBODY_CAME:
                    time.sleep(_LOOK)
            change = change.then(self._recover())
        return change

    def _recover(self) -> Change:
        """`recover`, without waiting for newcomers."""
        self._break_up()
        try:
            change = self._membership.settle(self._family, self._remake)
        except TooFew as error:
            self._parts, self._given = [], []
            self._be_alone()
            set_world(MPI.COMM_WORLD)  # for messages
            raise error from None
        assert change is not None, "a rank of the group stays in it"
        return change

    def admit(self) -> Change | None:  # noqa: D102
        with self._waiting("admit"):
            self._may_admit()
        if self._asked:
            self._membership.role = Role.LEAVING
        self._break_up()
        change = self._membership.settle(self._family, self._remake)
        if change is None:
            self._left = True
            self._parts, self._given = [], []
            self._be_alone()
            return None
        return self._awaited(change)

    def ask_to_leave(self) -> None:  # noqa: D102
        self._asked = True

    def loss(self) -> str:  # noqa: D102
        return "a rank has died, or has reported a failure" if self._family.has_lost() else ""

    def revoke(self, why: str) -> None:  # noqa: D102
        self._family.revoke()

    def finalize(self) -> None:  # noqa: D102
        membership = self._membership
        if membership.over or MPI.Is_finalized():
            return
        if self.is_spare:
            self._dismiss_attendant()
            membership.role = Role.ENDED
        else:
            try:
                self._meet_at_end()
            except (RanksLost, MismatchError):
                membership.role = Role.ENDED
                self._break_up()
                membership.settle(self._family, self._remake)
            else:
                membership.end()
                self._break_up()
        while membership.wait():
            membership.settle(self._family, self._remake)

    def _remake(self, new: Arrangement, comms: list[MPI.Comm]) -> None:
        """Become the new group, and make the parts of the old one again."""
        self._family.seat = new.seats[comms[0].rank]
        self._connect_anew(comms, self.is_spare)

    def _be_alone(self) -> None:
        """Become a group of one, without a place in another."""
        comms: list[MPI.Comm] = [MPI.COMM_SELF.Dup(), MPI.COMM_SELF.Dup()]
        self._family.adopt(comms)
        self._family.seat = 0
        self._connect_anew(comms, joins=False)

    def _connect_anew(self, comms: list[MPI.Comm], joins: bool) -> None:
        for module in (agreement, failures, point_to_point, watchdog):
            module.forget()
        set_world(comms[0])
        channel = None
        if comms[0].size > 1:
            channel = watchdog.Channel(comms[2], tuple(range(comms[0].size)), self._membership.homes)
        self._enter(comms, channel)
        self._make_parts_again(joins)

    def _break_up(self) -> None:
        """End the old group and its parts, together with the other survivors."""
        self._family.revoke()
        self._leave()
        self._membership.splits = len(self._given)
        watchdog.forget()
        set_world(MPI.COMM_WORLD)  # for messages, until there is a new group
        self._family.end()

    def _has_come(self) -> bool:
        """Whether this rank knows of newcomers that are ready."""
        return self.rank == 0 and self._membership.has_come()

    def _may_admit(self) -> Vote:
        """Vote that the group may change; the result tells whether newcomers have come."""
        return self._family.vote(self._comms[0], Vote.ADMITS, nobody_came=not self._has_come())

    def _dismiss_attendant(self) -> None:
        """From now on, this process answers the others itself."""
        if self._attendant is not None:
            self._attendant.stop()
            self._attendant = None

    def _meet_at_end(self) -> None:
        """Wait until all ranks have come to the end of their programs.

        Raises:
            RanksLost: A rank has died instead.
            MismatchError: A rank makes another vote.
        """
        if self.size == 1:
            return
        request, found = self._family.begin_vote(self._comms[0], Vote.ENDS)
        running, pause = failures.services(), Pause()
        try:
            while not request.Test():
                with suppress(MPI.Exception):
                    failures.advance(running)
                pause()
        except MPI.Exception:
            found[0] = 0
        self._family.count(self._comms[0], Vote.ENDS, Vote(int(found[0])))

    def _at_exit(self) -> None:
        """End the program's part in the job, and make sure that this process ends."""
        served = not self.is_spare
        try:
            self.finalize()
        except BaseException:  # others would wait for this process for ever
            traceback.print_exc()
            failures.end_all(1)
        note_end(0 if served and not self._left else None)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_FINALIZE)


def _checked() -> Told:
    """Return the settings of the job.

    Raises:
        RengaError: Its ranks were started without fault tolerance.
    """
    size, what = MPI.COMM_WORLD.size, told()
    if what is None and size == 1:
        return Told(1, 1, "")
    if what is None:
        raise RengaError(
            f"communicator 'resilient': these {size} ranks were started without fault tolerance. "
            f"Next: renga launch -n {size} --fault-tolerant PROGRAM"
        )
    if MPI.ERR_PROC_FAILED == MPI.ERR_UNKNOWN or os.environ.get(_IS_ON) != "1":
        library = MPI.Get_library_version().partition(",")[0].strip()
        raise RengaError(
            f"communicator 'resilient': {library} runs here without ULFM, so no rank may die. "
            "Next: pip install 'renga[mpi]', which brings Open MPI 5, and 'renga launch --fault-tolerant'"
        )
    return what


@contextmanager
def _unstoppable() -> Iterator[None]:
    """Ignore requests to stop: a process that waits for a place learns of them from the ranks."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(STOP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(STOP, before)
