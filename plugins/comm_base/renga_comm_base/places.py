"""How many ranks a job is to have: more on request, fewer when ranks leave (``renga launch --max``)."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Places"]


class Places(NamedTuple):
    """How many places a group has. All its ranks have the same.

    Attributes:
        total: Places, taken or vacant.
        heeded: How many requests for one more rank have been dealt with, of all that were made.
        grown: Vacant places that come from requests: other processes take them than those that replace dead ranks.
    """

    total: int
    heeded: int = 0
    grown: int = 0

    def with_requests(self, requests: int, most: int) -> Places:
        """Return the places after so many requests in all, with at most `most` places; the rest is dropped."""
        more = max(0, min(requests - self.heeded, most - self.total))
        return Places(self.total + more, max(requests, self.heeded), self.grown + more)

    def with_ranks(self, size: int, left: int, growing: int, others: int) -> Places:
        """Return the places of a new group: those that leave take theirs with them, and nobody waits for the dead.

        Args:
            size: How many ranks the new group has.
            left: How many have left as asked.
            growing: How many processes can still come for requests.
            others: How many other ones can still come: those that replace dead ranks, and spares.
        """
        vacant = max(0, self.total - left - size)
        grown = min(self.grown, vacant, growing)
        return Places(size + min(vacant, grown + others), self.heeded, grown)
