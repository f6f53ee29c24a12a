"""Means of observations over intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, TriggerLike
from renga_training.summary import DictSummary
from renga_training.triggers.interval_trigger import get_trigger

__all__ = ["IntervalMean"]


class IntervalMean:
    """Collects the observation of each iteration, and gives the means when its trigger fires.

    Args:
        keys: What to collect; everything if None.
        trigger: Ends an interval.
    """

    def __init__(self, keys: Iterable[str] | None, trigger: TriggerLike) -> None:
        self.keys = None if keys is None else list(keys)
        self.trigger = get_trigger(trigger)
        self._summary = DictSummary()

    def __call__(self, trainer: TrainerLike, observation: Mapping[str, Any] | None = None) -> dict[str, float] | None:
        """Add this iteration's observation.

        Args:
            trainer: Asked by the trigger.
            observation: What to add; the trainer's observation if None.

        Returns:
            The mean of each key that was observed, if the interval ends here; None if it goes on.
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
        """Save or load the running sums, and the trigger."""
        self._summary.serialize(serializer["summary"])
        trigger: Any = self.trigger
        if hasattr(trigger, "serialize"):
            trigger.serialize(serializer["trigger"])
