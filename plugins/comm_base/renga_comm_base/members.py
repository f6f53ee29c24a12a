"""Who takes which place when ranks have died. Every process finds the same, from what all have told."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from renga_comm_base.places import Places
from renga_comm_base.resilience import Change

__all__ = ["Arrangement", "Member", "Role", "arrange", "to_call"]


class Role(IntEnum):
    """What a process is in its job."""

    ACTIVE = 0
    """It has a place in the group."""
    WAITING = 1
    """It waits for one."""
    LEAVING = 2
    """It has one, and is to leave."""
    ENDED = 3
    """It has ended its program."""
    DORMANT = 4
    """It has not started its program."""
    STARTING = 5
    """It is about to start it, to wait for a place then."""


class Member(NamedTuple):
    """What a process tells of itself.

    Attributes:
        role: What it is.
        place: Its rank in the group; None for others.
        seat: Its place in the order of ranks, which it keeps when others die and its rank changes; None for others.
        size: How many ranks the group had.
        has_state: It has committed since it joined, or was there from the start.
        home: Its host and process, for messages.
        splits: How many groups it has made of the group by `split`, or, while it waited, as others do.
        grows: It is, or was, dormant until one more rank is asked for; other dormant processes replace dead ranks.
        places: How many places it knows of.
        requests: How many requests for one more rank it knows of.
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
        order: Of its ranks, which of all members they are.
        seats: Those of its ranks.
        change: How it differs from the old one.
        waiting: Of each that still waits, its `Member.splits`.
        staying: Those of its ranks, of all members, that are to leave when another one has the state.
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
    """Return the new group; None if nobody of the old one goes on.

    Who waits takes a seat that is vacant, the first that is; not while it has made more groups by `split` than the
    others, who could not make theirs with it. Beside one that is to leave, but must stay until another one has the
    state, there is a seat more. Ranks are in the order of seats.

    Args:
        members: All processes that are alive.
        full: How many seats there are.
        shrinks: Ranks that leave take their seats with them: nobody replaces them.
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
    """Those that leave, unless nobody else had the state then: they stay until somebody has it."""
    leaving = [i for i, member in enumerate(members) if member.role == Role.LEAVING]
    stays = any(member.role == Role.ACTIVE and member.has_state for member in members)
    waits = any(member.role not in (Role.LEAVING, Role.ENDED) for member in members)
    return leaving if stays or not waits else []


def to_call(members: Sequence[Member], new: Arrangement, places: Places) -> tuple[int, ...]:
    """Return the dormant processes that are to start their program, to take vacant places.

    Args:
        members: All processes that are alive.
        new: The new group.
        places: How many places it has.
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
