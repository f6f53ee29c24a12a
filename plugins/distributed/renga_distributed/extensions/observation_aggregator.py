"""`ObservationAggregator`: combines a reported value of all ranks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.communicator import CommunicatorBase
from renga_core.serializers import AbstractSerializer
from renga_core.training import PRIORITY_EDITOR, Extension, TrainerLike, TriggerLike
from renga_training.triggers import get_trigger

__all__ = ["ObservationAggregator"]


class ObservationAggregator(Extension):
    """Replaces a reported value by one computed from the values of all ranks, by default the mean.

    Without it, rank 0's log shows the training loss of rank 0's batches only.

    Args:
        comm: The communicator.
        original_key: Name of the reported value; a rank may have none.
        aggregated_key: Name of the combined value; None: `original_key`, whose value is replaced.
        comm_trigger: When to communicate; it must fire on all ranks together. Until then values are collected.
        aggregator: Combines the collected values, given as a list with a list of values (floats or NumPy arrays) for
            each rank. Called on rank 0, unless no rank has values. None: the mean of all.

    Source: ChainerMN's documentation of this class.
    """

    trigger = (1, "iteration")
    priority = PRIORITY_EDITOR

    def __init__(
        self,
        comm: CommunicatorBase,
        original_key: str,
        aggregated_key: str | None = None,
        *,
        comm_trigger: TriggerLike = (1, "iteration"),
        aggregator: Callable[[list[list[Any]]], Any] | None = None,
    ) -> None:
        self.comm = comm
        self.original_key = original_key
        self.aggregated_key = original_key if aggregated_key is None else aggregated_key
        self._trigger = get_trigger(comm_trigger)
        self._aggregator = _mean if aggregator is None else aggregator
        self._collected: list[Any] = []

    def __call__(self, trainer: TrainerLike) -> None:
        """Collect this iteration's value; if the trigger fires, add the combined value to the trainer's observation."""
        if self.original_key in trainer.observation:
            self._collected.append(_on_host(trainer.observation[self.original_key]))
        if not self._trigger(trainer):
            return
        gathered = self.comm.gather_obj(self._collected)
        self._collected = []
        found = None
        if gathered is not None and any(gathered):
            found = self._aggregator(gathered)
        found = self.comm.bcast_obj(found)
        if found is not None:
            trainer.observation[self.aggregated_key] = found

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the values collected, and the trigger."""
        now = json.dumps([value.tolist() if hasattr(value, "shape") else value for value in self._collected])
        collected = json.loads(serializer("collected", now))
        self._collected = [np.array(value) if isinstance(value, list) else value for value in collected]
        if hasattr(self._trigger, "serialize"):
            self._trigger.serialize(serializer["trigger"])


def _on_host(value: Any) -> Any:
    value = getattr(value, "array", value)
    if hasattr(value, "shape"):
        value = to_host(value)
    return float(value) if np.ndim(value) == 0 else value


def _mean(collected: list[list[Any]]) -> Any:
    values = [value for of_rank in collected for value in of_rank]
    return sum(values) / len(values)
