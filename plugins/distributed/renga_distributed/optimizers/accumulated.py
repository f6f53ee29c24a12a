"""Gradients of batches that have not made an update yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import get_device_of, to_host
from renga_core.communicator import CommunicatorBase
from renga_core.optimizer import Optimizer
from renga_distributed.optimizers.batches import Batches
from renga_distributed.optimizers.private import State

__all__ = ["Accumulated"]

_COUNTS = "counts"


class Accumulated:
    """The sum of gradients of this rank's batches since the last update, and their numbers of examples.

    It is empty if the next batch is the first of an update.

    Args:
        optimizer: The optimizer; the parameters of its target hold the gradients.
        batches: The counts.
        communicator: Between the ranks.
    """

    what = "the gradients that are accumulated for the next update"

    def __init__(self, optimizer: Optimizer, batches: Batches, communicator: CommunicatorBase) -> None:
        self._optimizer, self._batches, self._communicator = optimizer, batches, communicator

    def own(self) -> State:
        """See `Private`."""
        if not self._batches.counts:
            return {}
        found: State = {_COUNTS: np.array(self._batches.counts)}
        for path, param in self._optimizer.target.namedparams(include_uninit=False):
            if param.grad is not None:
                found[path] = to_host(param.grad)
        return found

    def take(self, state: State) -> None:
        """See `Private`."""
        self._batches.counts = [int(count) for count in state.get(_COUNTS, ())]
        if not state:
            return
        for path, param in self._optimizer.target.namedparams(include_uninit=False):
            param.cleargrad()
            if path in state:
                param.grad = get_device_of(param.array).send(state[path].copy())
                param.rescale_grad(self._optimizer.loss_scale or 1.0)  # the scale that backward has recorded

    def indivisible(self) -> str:
        """See `Private`."""
        return ""

    def share_out(self, states: Sequence[State]) -> State:
        """Rank r gets the sums of old ranks r, r + size, ..., so that each example counts once.

        If examples are counted, a sum is `Batches.unit` times too small; otherwise the following mean over ranks
        divides by another number of ranks.
        """
        calls = max((len(state[_COUNTS]) for state in states if state), default=0)
        if not calls:
            return {}
        size = self._communicator.size
        mine = [state for state in states[self._communicator.rank :: size] if state]
        if self._batches.weighted:
            counts = np.sum([np.zeros(calls, int), *(state[_COUNTS] for state in mine)], axis=0)
            unit = self._batches.unit(int(counts[0]))
            factors = [self._batches.unit(int(state[_COUNTS][0])) / unit for state in mine]
        else:
            counts = np.ones(calls, int)
            factors = [size / len(states)] * len(mine)
        sums: dict[str, Any] = {}
        for state, factor in zip(mine, factors, strict=True):
            for path, gradient in state.items():
                if path != _COUNTS:
                    part = gradient if factor == 1 else gradient * gradient.dtype.type(factor)
                    sums[path] = sums[path] + part if path in sums else part
        return {_COUNTS: counts, **sums}
