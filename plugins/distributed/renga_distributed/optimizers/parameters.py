"""The same parameters on all ranks."""

from __future__ import annotations

from renga_core.communicator import CommunicatorBase
from renga_core.graph import Parameter
from renga_core.link import Link

__all__ = ["SameParameters"]


class SameParameters:
    """Gives all ranks the parameters of rank 0: all of them, whenever some have got their arrays since the last time.

    Args:
        communicator: Between the ranks.
    """

    def __init__(self, communicator: CommunicatorBase) -> None:
        self._communicator = communicator
        self._known: list[Parameter] = []

    def ensure(self, link: Link) -> bool:
        """Broadcast if there are new parameters, and return whether there were.

        Raises:
            MismatchError: Ranks have different parameters; raised on every rank.
        """
        params = list(link.params(include_uninit=False))
        if len(params) == len(self._known) and all(map(_same, params, self._known)):
            return False
        self._communicator.bcast_data(link)
        self._known = params
        return True

    def ensure_after_backward(self, link: Link) -> bool:
        """As `ensure`, but return whether gradients are of use: whether no rank's parameters were changed by it."""
        before = [(param, param.array.copy()) for param in link.params(include_uninit=False)]
        if not self.ensure(link):
            return True
        unchanged = all(bool((array == param.array).all()) for param, array in before)
        return all(self._communicator.allgather_obj(unchanged))


def _same(one: Parameter, other: Parameter) -> bool:
    return one is other
