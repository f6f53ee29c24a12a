"""Errors of communicators, which every rank of the group gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.errors import RengaError

__all__ = ["MismatchError", "RankFailed"]


class MismatchError(RengaError, ValueError):
    """Ranks called a collective differently. Raised on every rank, with what each of them gave.

    Args:
        given: For each rank, what was called and how.
        rank: This process's own.
    """

    def __init__(self, given: Sequence[tuple[str, Any]], rank: int) -> None:
        self.given, self.rank = list(given), rank
        super().__init__(given, rank)

    def __str__(self) -> str:
        same_call = len({what for what, _ in self.given}) == 1
        title = f"ranks call {self.given[0][0]} differently" if same_call else "ranks call different collectives"
        lines = [f"  rank {ranks}: {what} {detail!r}" for ranks, what, detail in self._groups()]
        return "\n".join([f"{title} (this is rank {self.rank}):", *lines])

    def _groups(self) -> list[tuple[str, str, Any]]:
        """What was given, each once, with the ranks that gave it."""
        found: list[tuple[list[int], str, Any]] = []
        for rank, (what, detail) in enumerate(self.given):
            for ranks, *same in found:
                if same == [what, detail]:
                    ranks.append(rank)
                    break
            else:
                found.append(([rank], what, detail))
        return [(", ".join(map(str, ranks)), what, detail) for ranks, what, detail in found]


class RankFailed(RengaError):
    """Another rank of the group has failed, so what this one waits for will not come."""
