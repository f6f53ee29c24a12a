"""Decides who takes which place when ranks have died. From the same descriptions, every process decides the same."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from renga_comm_base.places import Places
from renga_comm_base.resilience import Change

__all__ = ["Arrangement", "Member", "Role", "arrange", "to_call"]


class Role(IntEnum):
    """The role of a process in its job."""

    ACTIVE = 0
    """It has a place in the group."""
    WAITING = 1
    """It waits for a place."""
    LEAVING = 2
    """It has a place, and must leave."""
    ENDED = 3
    """Its program has ended."""
    DORMANT = 4
    """It has not started its program."""
    STARTING = 5
    """It starts its program, and will wait for a place."""


class Member(NamedTuple):
    """A process's description of itself.

    Attributes:
        role: Its role.
        place: Its rank in the group; None if it is not in the group.
        seat: Its position in the order of ranks. It stays the same when others die and the rank changes.
        size: Number of ranks in the group.
        has_state: Whether it has the state of the run: it was there from the start, or has committed since it joined.
        home: Its host and process, for messages.
        splits: Number of groups that it has made by `split`.
        grows: Whether it was started to add a rank. Others replace dead ranks.
        places: The number of places, as far as it knows.
        requests: Number of requests to add a rank, as far as it knows.
    """

    role: Role
    place: int | None
    seat: int | None
    size: int
    has_state: bool
    home: tuple[str, int]
    splits: int = 0
    grows: bool = False
    places: Places = Places(0)
    requests: int = 0


class Arrangement(NamedTuple):
    """A new group.

    Attributes:
        order: For each rank, the index of its member.
        seats: For each rank, its seat.
        change: The difference from the old group.
        waiting: For each member that still waits, its `Member.splits`.
        staying: Indices of members that must leave as soon as another one has the state.
    """

    order: tuple[int, ...]
    seats: tuple[int, ...]
    change: Change
    waiting: tuple[int, ...] = ()
    staying: tuple[int, ...] = ()

    def lack(self, least: int) -> str:
        """Return why the job cannot continue in this group; "" if it can.

        Args:
            least: The smallest number of ranks.
        """
        count = len(self.order)
        if count < least:
            left = f"{count} rank{'s are' if count > 1 else ' is'} left"
            return f"{left}, and the job needs {least} (--min). Next: resume from its last snapshot"
        if not any(before is not None for before in self.change.previous):
            return "all ranks that had the state of the training have died. Next: resume from its last snapshot"
        return ""


def arrange(members: Sequence[Member], full: int, shrinks: bool = False) -> Arrangement | None:
    """Return the new group; None if no member of the old group continues.

    A member that waits takes the first vacant seat, unless it has made more groups by `split` than the others: they
    could not make these groups with it. A member that must leave, but stays until another one has the state, needs an
    additional seat. Ranks are in the order of seats.

    Args:
        members: All processes that are alive.
        full: Number of seats.
        shrinks: Nobody replaces ranks that leave.
    """
    leaving = _may_leave(members)
    there = {
        member.seat: i
        for i, member in enumerate(members)
        if member.seat is not None and member.role in (Role.ACTIVE, Role.LEAVING) and i not in leaving
    }
    if not there:
        return None
    splits = min(members[i].splits for i in there.values())
    waiting = [i for i, member in enumerate(members) if member.role == Role.WAITING and member.splits <= splits]
    before = max(member.size for member in members)
    ended = [i for i, member in enumerate(members) if member.role == Role.ENDED]
    left = tuple(sorted(place for i in (*leaving, *ended) if (place := members[i].place) is not None))
    stay = {members[i].place for i in there.values()}
    staying = tuple(i for i in there.values() if members[i].role == Role.LEAVING)
    vacant = max(0, full - len(there) + len(staying) - (len(left) if shrinks else 0))
    free = (seat for seat in itertools.count() if seat not in there)
    there |= list(zip(itertools.islice(free, vacant), waiting, strict=False))
    seats = tuple(sorted(there))
    order = tuple(there[seat] for seat in seats)
    previous = tuple(members[i].place if members[i].has_state else None for i in order)
    lost = tuple(place for place in range(before) if place not in stay and place not in left)
    rest = tuple(member.splits for i, member in enumerate(members) if member.role == Role.WAITING and i not in order)
    return Arrangement(order, seats, Change(previous, lost, left), rest, staying)


def _may_leave(members: Sequence[Member]) -> list[int]:
    """Return the members that may leave now; none if no other member would have the state."""
    leaving = [i for i, member in enumerate(members) if member.role == Role.LEAVING]
    stays = any(member.role == Role.ACTIVE and member.has_state for member in members)
    waits = any(member.role not in (Role.LEAVING, Role.ENDED) for member in members)
    return leaving if stays or not waits else []


def to_call(members: Sequence[Member], new: Arrangement, places: Places) -> tuple[int, ...]:
    """Return the dormant processes that must start their program, to take vacant places.

    Args:
        members: All processes that are alive.
        new: The new group.
        places: Its number of places.
    """
    dormant = {
        grows: [i for i, one in enumerate(members) if one.role == Role.DORMANT and one.grows == grows]
        for grows in (False, True)
    }
    starting = [member.grows for member in members if member.role == Role.STARTING]
    vacant = max(0, places.total - len(new.order))
    for_leaving = max(0, len(new.staying) - len(new.change.newcomers))
    replacing = max(0, vacant - places.grown + for_leaving - starting.count(False))
    growing = max(0, min(vacant, places.grown) - starting.count(True))
    called = dormant[False][:replacing] + dormant[True][:growing]
    if for_leaving and not called and not starting:  # whoever comes, the last one can leave
        called = dormant[True][:1]
    return tuple(called)
