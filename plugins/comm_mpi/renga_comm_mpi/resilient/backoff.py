"""How long the next new process waits when those before it have died at once. No MPI in it."""

from __future__ import annotations

from collections.abc import Sequence

from renga_comm_mpi.resilient.members import Member, Role

__all__ = ["Backoff"]

_YOUNG = 10.0
"""Seconds: a process that dies within so many after it has joined has died at once."""
_FIRST, _LONGEST = 1.0, 60.0


class Backoff:
    """Watches how new processes fare: after each that dies at once, the next one waits twice as long.

    Only the process that is called asks it, so clocks of different processes need not agree.

    Attributes:
        deaths: How many new processes have died at once, one after another.
    """

    def __init__(self) -> None:
        self.deaths = 0
        self._new: dict[tuple[str, int], tuple[Role, float]] = {}
        """Of each new process its role, and since when it has had it."""

    @property
    def seconds(self) -> float:
        """How long to wait."""
        return min(_FIRST * 2.0 ** (self.deaths - 1), _LONGEST) if self.deaths else 0.0

    def note(self, members: Sequence[Member], now: float) -> None:
        """Learn who is alive.

        Args:
            members: All processes that are, with the roles that they have from now on.
            now: The time in seconds.
        """
        alive = {member.home: member.role for member in members}
        if any(self._is_safe(role, now - since) for role, since in self._new.values()):
            self.deaths = 0
        self.deaths += sum(
            home not in alive and not self._is_safe(role, now - since) for home, (role, since) in self._new.items()
        )
        known = self._new
        self._new = {}
        for home, role in alive.items():
            if role == Role.STARTING or (home in known and role not in (Role.LEAVING, Role.ENDED)):
                before = known.get(home)
                self._new[home] = before if before is not None and before[0] == role else (role, now)

    @staticmethod
    def _is_safe(role: Role, seconds: float) -> bool:
        return role == Role.ACTIVE and seconds > _YOUNG
