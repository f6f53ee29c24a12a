"""Groups made by `split` from a group whose ranks may die. They are made again when that group changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = ["Derived"]

Entry = tuple[int, int]
"""Arguments of `split`: color and key."""
Given = dict[int, Entry]
"""Arguments of all ranks, by seat; those of dead ranks are for the processes that take their seats."""


class Derived(ABC):
    """A group that knows which groups were made from it, in order, and the same for each of these.

    A process that takes the place of a dead rank is in the same groups as that rank was.
    """

    def __init__(self) -> None:
        self._parts: list[Any] = []
        self._given: list[Given] = []
        """For each part, the arguments of `split`."""
        self._unclaimed: list[Any] = []
        """Parts that this rank's program has not asked for yet; others did before it joined."""

    # --- what a derived class defines ---------------------------------------------------------------------------------

    @property
    @abstractmethod
    def _seat(self) -> int:
        """The number that this process keeps in the whole group when others die."""

    @abstractmethod
    def _new_part(self) -> Any:
        """Return a group without ranks."""

    @abstractmethod
    def _is_open(self) -> bool:
        """Whether this group has ranks: it does not after `finalize`."""

    @abstractmethod
    def _tell_all(self, what: Any) -> list[Any]:
        """Return the objects of all ranks. Collective."""

    @abstractmethod
    def _connect_part(self, part: Any, color: int, key: int) -> None:
        """Divide this group as `split` does; `part` becomes the group of this rank. Collective."""

    # --- what it offers -----------------------------------------------------------------------------------------------

    def _claimed(self) -> Any:
        """Return the next part that others made before this process joined, if there is one."""
        return self._unclaimed.pop(0) if self._unclaimed else None

    def _divided(self, color: int, key: int) -> tuple[Any, Given]:
        """Make a part; the caller passes both results to `_keep` when all ranks have it. Collective."""
        part = self._new_part()
        given = dict(self._tell_all((self._seat, (color, key))))
        self._connect_part(part, color, key)
        return part, given

    def _keep(self, part: Any, given: Given) -> None:
        """From now on, make this part again when the group changes."""
        self._parts.append(part)
        self._given.append(given)

    def _make_parts_again(self, joins: bool) -> None:
        """Make all parts again, from the present group. Collective.

        Args:
            joins: This process was not in the earlier group.
        """
        own = None if joins else (self._given, [not part._is_open() for part in self._parts])
        told = self._tell_all((self._seat, own))
        known = [one for _, one in told if one is not None]
        old: list[Given] = known[0][0] if known else []
        for i, given in enumerate(old):
            part = self._part(i)
            now = {**given, **{seat: _beside(given, seat) for seat, _ in told if seat not in given}}
            self._given[i : i + 1] = [now]
            if all(ended[i] for _, ended in known):  # by `finalize`
                continue
            self._connect_part(part, *now[self._seat])
            part._make_parts_again(joins)
        del self._parts[len(old) :], self._given[len(old) :]

    def _part(self, i: int) -> Any:
        """Return the i-th part; a new one if this rank's program has not asked for it yet."""
        if i == len(self._parts):
            part = self._new_part()
            self._parts.append(part)
            self._unclaimed.append(part)
        return self._parts[i]


def _beside(given: Given, seat: int) -> Entry:
    """Return the arguments for a new seat: those of the last seat, ranked after all others."""
    return given[max(given)][0], seat + 1 + max(key for _, key in given.values())
