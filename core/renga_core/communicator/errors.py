"""Errors of communicators, raised on every rank of the group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.errors import RengaError

__all__ = ["MismatchError", "RankFailed"]


class MismatchError(RengaError, ValueError):
    """Ranks called a collective differently. Raised on every rank, with the call of each rank.

    For long lists, such as the shapes of a model's gradients, the message contains only the differences.

    Args:
        given: For each rank, its call: the name and the details.
        rank: The rank of this process.
    """

    def __init__(self, given: Sequence[tuple[str, Any]], rank: int) -> None:
        self.given, self.rank = list(given), rank
        super().__init__(given, rank)

    def __str__(self) -> str:
        same_call = len({what for what, _ in self.given}) == 1
        title = f"ranks call {self.given[0][0]} differently" if same_call else "ranks call different collectives"
        calls = [(ranks, what if detail is None else f"{what} {detail!r}") for ranks, what, detail in self._groups()]
        lines = [f"  rank {ranks}: {call}" for ranks, call in calls]
        return "\n".join([f"{title} (this is rank {self.rank}):", *lines])

    def _groups(self) -> list[tuple[str, str, Any]]:
        """The distinct calls, each with the ranks that made it."""
        found: list[tuple[list[int], str, Any]] = []
        for rank, (what, detail) in enumerate(self._shortened()):
            for ranks, *same in found:
                if same == [what, detail]:
                    ranks.append(rank)
                    break
            else:
                found.append(([rank], what, detail))
        return [(", ".join(map(str, ranks)), what, detail) for ranks, what, detail in found]

    def _shortened(self) -> list[tuple[str, Any]]:
        """The call; of lists, only the elements that other ranks lack, unless they differ in order or number only."""
        if not all(isinstance(detail, list) for _, detail in self.given):
            return self.given
        lists = [detail for _, detail in self.given]
        odd = [[item for item in mine if any(item not in other for other in lists)] for mine in lists]
        if not any(odd):
            return self.given
        return [(what, mine) for (what, _), mine in zip(self.given, odd, strict=True)]


class RankFailed(RengaError):
    """Another rank has failed or ended its program, so that this rank would wait for ever."""
