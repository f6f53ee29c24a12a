"""Means of reported values over intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, TriggerLike
from renga_training.summary import DictSummary
from renga_training.triggers.interval_trigger import get_trigger

__all__ = ["IntervalMean"]


class IntervalMean:
    """Collects the values of each iteration, and returns the means when its trigger fires.

    Args:
        keys: Names to collect; None: all.
        trigger: Ends an interval.
    """

    def __init__(self, keys: Iterable[str] | None, trigger: TriggerLike) -> None:
        self.keys = None if keys is None else list(keys)
        self.trigger = get_trigger(trigger)
        self._summary = DictSummary()

    def __call__(self, trainer: TrainerLike, observation: Mapping[str, Any] | None = None) -> dict[str, float] | None:
        """Add this iteration's values.

        Args:
            trainer: Passed to the trigger.
            observation: The values to add; None: the trainer's observation.

        Returns:
            The mean of each reported value at the end of an interval; None otherwise.
        """
        if observation is None:
            observation = trainer.observation
        if self.keys is None:
            self._summary.add(observation)
        else:
            self._summary.add({key: observation[key] for key in self.keys if key in observation})
        if not self.trigger(trainer):
            return None
        means = {key: float(mean) for key, mean in self._summary.compute_mean().items()}
        self._summary = DictSummary()
        return means

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the current sums, and the trigger."""
        self._summary.serialize(serializer["summary"])
        trigger: Any = self.trigger
        if hasattr(trigger, "serialize"):
            trigger.serialize(serializer["trigger"])
