"""What only one rank holds, so that it would be lost with that rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

__all__ = ["Private", "State"]

State = dict[str, np.ndarray[Any, Any]]
"""Arrays on the host, by name. What is in it is not to be changed."""


class Private(Protocol):
    """Something of which each rank holds a part of its own."""

    what: str
    """What it is, for messages."""

    def own(self) -> State:
        """What this rank holds now. The arrays may be the very ones that the next update changes."""

    def take(self, state: State) -> None:
        """Replace what is held."""

    def indivisible(self) -> str:
        """Why what this rank holds cannot be shared out among another number of ranks; empty if it can."""

    def share_out(self, states: Sequence[State]) -> State:
        """What this rank is to hold now that another number of ranks goes on.

        Args:
            states: What each rank of the old group has held, in their order.
        """
