"""State that only one rank has, which would be lost with that rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

__all__ = ["Private", "State"]

State = dict[str, np.ndarray[Any, Any]]
"""Host arrays by name. Do not change its contents."""


class Private(Protocol):
    """State of which each rank has its own part."""

    what: str
    """A description, for messages."""

    def own(self) -> State:
        """This rank's current state. The arrays may be those that the next update changes."""

    def take(self, state: State) -> None:
        """Replace the state."""

    def indivisible(self) -> str:
        """Why the state cannot be divided among another number of ranks; empty if it can."""

    def share_out(self, states: Sequence[State]) -> State:
        """The new state of this rank after the number of ranks has changed.

        Args:
            states: The states of all ranks of the old group, in order.
        """
