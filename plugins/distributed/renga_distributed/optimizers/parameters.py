"""The same parameters on all ranks."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.communicator import CommunicatorBase
from renga_core.graph import Parameter
from renga_core.link import Link

__all__ = ["SameParameters", "are_same"]


class SameParameters:
    """Gives all ranks the parameters of rank 0, whenever new parameters have been initialized.

    Args:
        communicator: Between the ranks.

    Attributes:
        known: Parameters that are the same on all ranks.
    """

    def __init__(self, communicator: CommunicatorBase) -> None:
        self._communicator = communicator
        self.known: list[Parameter] = []

    def ensure(self, link: Link) -> bool:
        """Broadcast if there are new parameters; return whether this changed any rank's parameters.

        Nothing changes if all ranks have loaded the same snapshot; then its gradients are still useful.

        Raises:
            MismatchError: Ranks have different parameters; raised on every rank.
        """
        params = list(link.params(include_uninit=False))
        if are_same(params, self.known):
            return False
        before = [(param, param.array.copy()) for param in params]
        self._communicator.bcast_data(link)
        self.known = params
        changed = any(bool((array != param.array).any()) for param, array in before)
        return any(self._communicator.allgather_obj(changed))


def are_same(some: Sequence[Parameter], others: Sequence[Parameter]) -> bool:
    """Whether both lists contain the same parameters in the same order."""
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))
