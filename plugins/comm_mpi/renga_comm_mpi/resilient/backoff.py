"""The delay of a new process after earlier ones died at once. Without MPI."""

from __future__ import annotations

from collections.abc import Sequence

from renga_comm_base.members import Member, Role

__all__ = ["Backoff"]

_YOUNG = 10.0
"""Seconds: a process that dies within this time after joining has died at once."""
_FIRST, _LONGEST = 1.0, 60.0


class Backoff:
    """Doubles the delay after each new process that dies at once.

    Only the process being called uses it, so clocks of different processes need not agree.

    Attributes:
        deaths: Number of new processes in a row that died at once.
    """

    def __init__(self) -> None:
        self.deaths = 0
        self._new: dict[tuple[str, int], tuple[Role, float]] = {}
        """The role of each new process, and the time it got the role."""

    @property
    def seconds(self) -> float:
        """Return the delay in seconds."""
        return min(_FIRST * 2.0 ** (self.deaths - 1), _LONGEST) if self.deaths else 0.0

    def note(self, members: Sequence[Member], now: float) -> None:
        """Update with the living processes.

        Args:
            members: All living processes with their new roles.
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
