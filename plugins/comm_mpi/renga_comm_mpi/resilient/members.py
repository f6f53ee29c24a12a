"""Who takes which place when ranks have died. Every process finds the same, from what all have told."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from renga_comm_base.resilience import Change

__all__ = ["Arrangement", "Member", "Role", "arrange"]


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


class Member(NamedTuple):
    """What a process tells of itself.

    Attributes:
        role: What it is.
        place: Its rank in the group; None for others.
        size: How many ranks the group had.
        has_state: It has committed since it joined, or was there from the start.
        home: Its host and process, for messages.
        splits: How many groups it has made of the group by `split`, or, while it waited, as others do.
    """

    role: Role
    place: int | None
    size: int
    has_state: bool
    home: tuple[str, int]
    splits: int = 0


class Arrangement(NamedTuple):
    """A new group.

    Attributes:
        order: Of its ranks, which of all members they are.
        replaced: For each of its ranks the old one whose place it has; None for one that has no old place.
        change: How it differs from the old one.
        waiting: Of each that still waits, its `Member.splits`.
    """

    order: tuple[int, ...]
    replaced: tuple[int | None, ...]
    change: Change
    waiting: tuple[int, ...] = ()


def arrange(members: Sequence[Member], full: int) -> Arrangement | None:
    """Return the new group; None if nobody of the old one goes on.

    Who waits takes the place of a dead rank, then one that was vacant before; not while it has made more groups by
    `split` than the others, who could not make theirs with it. Where nobody waits, those that are left move up, in
    their order.

    Args:
        members: All processes that are alive.
        full: How many places the group has when nobody is missing.
    """
    leaving = _may_leave(members)
    there = {
        member.place: i
        for i, member in enumerate(members)
        if member.place is not None and member.role in (Role.ACTIVE, Role.LEAVING) and i not in leaving
    }
    if not there:
        return None
    splits = min(members[i].splits for i in there.values())
    waiting = [i for i, member in enumerate(members) if member.role == Role.WAITING and member.splits <= splits]
    before = max(member.size for member in members)
    ended = [i for i, member in enumerate(members) if member.role == Role.ENDED]
    left = tuple(sorted(place for i in (*leaving, *ended) if (place := members[i].place) is not None))
    seats: list[tuple[int, int | None]] = []
    for place in range(before):
        if place in there:
            seats.append((there[place], place))
        elif waiting:
            seats.append((waiting.pop(0), place))
    while len(seats) < full and waiting:
        seats.append((waiting.pop(0), None))
    order = tuple(i for i, _ in seats)
    previous = tuple(members[i].place if members[i].has_state else None for i in order)
    lost = tuple(place for place in range(before) if place not in there and place not in left)
    rest = tuple(member.splits for i, member in enumerate(members) if member.role == Role.WAITING and i not in order)
    return Arrangement(order, tuple(place for _, place in seats), Change(previous, lost, left), rest)


def _may_leave(members: Sequence[Member]) -> list[int]:
    """Those that leave, unless nobody else had the state then: they stay until somebody has it."""
    leaving = [i for i, member in enumerate(members) if member.role == Role.LEAVING]
    stays = any(member.role == Role.ACTIVE and member.has_state for member in members)
    waits = any(member.role in (Role.WAITING, Role.ACTIVE) for member in members)
    return leaving if stays or not waits else []
