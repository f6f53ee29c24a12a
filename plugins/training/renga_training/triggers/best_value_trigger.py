"""Triggers that fire when a value is the best so far."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, Trigger, TriggerLike
from renga_training.triggers.interval_mean import IntervalMean

__all__ = ["BestValueTrigger", "MaxValueTrigger", "MinValueTrigger"]


class BestValueTrigger(Trigger):
    """Fires when the mean of a reported value over an interval is better than in all earlier intervals.

    Args:
        key: Name of the value, e.g. ``"validation/main/accuracy"``.
        compare: ``compare(best, new)`` returns whether the new value is better. NaN is never better.
        trigger: Ends an interval.

    Attributes:
        best_value: The best mean so far; None before the first interval.
    """

    def __init__(self, key: str, compare: Callable[[float, float], bool], trigger: TriggerLike = (1, "epoch")) -> None:
        self.best_value: float | None = None
        self._key = key
        self._compare = compare
        self._mean = IntervalMean([key], trigger)

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether an interval ends with the best mean so far. Raises KeyError if the value was not reported."""
        means = self._mean(trainer)
        if means is None:
            return False
        if self._key not in means:
            known = ", ".join(trainer.observation) or "nothing"
            raise KeyError(f"{type(self).__name__}: {self._key!r} was not reported in this iteration. Known: {known}")
        value = means[self._key]
        if math.isnan(value) or not (self.best_value is None or self._compare(self.best_value, value)):
            return False
        self.best_value = value
        return True

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the best value, and the current interval."""
        self._mean.serialize(serializer)
        self.best_value = serializer("best_value", self.best_value)


class MaxValueTrigger(BestValueTrigger):
    """Fires when the mean of a reported value over an interval is the largest so far.

    Args:
        key: Name of the value, e.g. ``"validation/main/accuracy"``.
        trigger: Ends an interval.
    """

    def __init__(self, key: str, trigger: TriggerLike = (1, "epoch")) -> None:
        super().__init__(key, operator.lt, trigger)


class MinValueTrigger(BestValueTrigger):
    """Fires when the mean of a reported value over an interval is the smallest so far.

    Args:
        key: Name of the value, e.g. ``"validation/main/loss"``.
        trigger: Ends an interval.
    """

    def __init__(self, key: str, trigger: TriggerLike = (1, "epoch")) -> None:
        super().__init__(key, operator.gt, trigger)
