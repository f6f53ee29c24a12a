"""The number of ranks that a job should have: more on request, fewer when ranks leave (``renga launch --max``)."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Places"]


class Places(NamedTuple):
    """The number of places of a group; the same on all its ranks.

    Attributes:
        total: Number of places, taken or vacant.
        heeded: Number of requests for another rank that have been handled.
        grown: Number of vacant places that come from requests. Processes that replace dead ranks do not take them.
    """

    total: int
    heeded: int = 0
    grown: int = 0

    def with_requests(self, requests: int, most: int) -> Places:
        """Return the places after this total number of requests. Requests for more than `most` places are dropped."""
        more = max(0, min(requests - self.heeded, most - self.total))
        return Places(self.total + more, max(requests, self.heeded), self.grown + more)

    def with_ranks(self, size: int, left: int, growing: int, others: int) -> Places:
        """Return the places of a new group, without those of ranks that left or cannot be replaced.

        Args:
            size: Number of ranks in the new group.
            left: Number of ranks that left on request.
            growing: Number of processes that can still come because of requests.
            others: Number of other processes that can still come: replacements and spares.
        """
        vacant = max(0, self.total - left - size)
        grown = min(self.grown, vacant, growing)
        return Places(size + min(vacant, grown + others), self.heeded, grown)
