"""`MultiNodeEarlyStoppingTrigger`: stops all ranks together."""

from __future__ import annotations

import copy
from typing import Literal

from renga_core.communicator import CommunicatorBase
from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, TriggerLike
from renga_distributed.extensions.observation_aggregator import ObservationAggregator
from renga_training.triggers import EarlyStoppingTrigger

__all__ = ["MultiNodeEarlyStoppingTrigger"]


class MultiNodeEarlyStoppingTrigger(EarlyStoppingTrigger):
    """A stop trigger for all ranks: it fires when the mean of a value over all ranks no longer improves.

    At the end of each interval, the mean of the value over ranks and iterations is added to every rank's observation,
    as ``monitor + suffix``, and checked as in `EarlyStoppingTrigger`. All ranks see the same value, and stop together.

    Args:
        comm: The communicator.
        check_trigger: Ends an interval; it must fire on all ranks together.
        monitor: Name of the value, e.g. ``"validation/main/loss"``.
        patience, mode, max_trigger: See `EarlyStoppingTrigger`.
        verbose: Print a line on rank 0 when training stops because the value did not improve.
        suffix: Appended to the name.

    Attributes:
        best: The best mean so far; None before the first check.
        count: Number of checks since the best one.

    Source: ChainerMN's documentation of this class.
    """

    communicates = True

    def __init__(
        self,
        comm: CommunicatorBase,
        *,
        check_trigger: TriggerLike = (1, "epoch"),
        monitor: str = "main/loss",
        patience: int = 3,
        mode: Literal["auto", "min", "max"] = "auto",
        verbose: bool = False,
        max_trigger: TriggerLike = (100, "epoch"),
        suffix: str = "_aggregated",
    ) -> None:
        # A trigger remembers its last call, so only one caller may call it.
        self._aggregator = ObservationAggregator(
            comm, monitor, monitor + suffix, comm_trigger=copy.deepcopy(check_trigger)
        )
        super().__init__(check_trigger, monitor + suffix, patience, mode, verbose and comm.rank == 0, max_trigger)

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether to stop; the same on every rank."""
        self._aggregator(trainer)
        return super().__call__(trainer)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the best value, the count, and the current interval."""
        self._aggregator.serialize(serializer["aggregator"])
        super().serialize(serializer)
