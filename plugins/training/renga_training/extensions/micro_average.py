"""`MicroAverage`: a ratio of sums, instead of a mean of ratios."""

from __future__ import annotations

import math
from typing import Any

from renga_core.reporter import report
from renga_core.serializers import AbstractSerializer
from renga_core.training import PRIORITY_EDITOR, Extension, TrainerLike, TriggerLike
from renga_training.summary import DictSummary
from renga_training.triggers import get_trigger

__all__ = ["MicroAverage"]


class MicroAverage(Extension):
    """Reports the sum of one value divided by the sum of another over an interval, such as correct words and words.

    A mean of ratios would weight batches equally, whatever their number of words. Iterations that do not report both
    values are ignored. If the divisor is zero, the ratio is NaN. If nothing was reported in an interval, no ratio is.

    Args:
        numerator_key, denominator_key: Names of the two values.
        result_key: Name of the ratio.
        trigger: Ends an interval.
    """

    communicates = False
    priority = PRIORITY_EDITOR

    def __init__(
        self, numerator_key: str, denominator_key: str, result_key: str, trigger: TriggerLike = (1, "epoch")
    ) -> None:
        self._keys = {"numerator": numerator_key, "denominator": denominator_key}
        self._result_key = result_key
        self._trigger = get_trigger(trigger)
        self._summary = DictSummary()

    def __call__(self, trainer: TrainerLike) -> None:
        """Add this iteration's values; report the ratio at the end of an interval."""
        observation = trainer.observation
        if all(key in observation for key in self._keys.values()):
            self._summary.add({name: observation[key] for name, key in self._keys.items()})
        if not self._trigger(trainer):
            return
        means, self._summary = self._summary.compute_mean(), DictSummary()
        if means:
            # Both have the same number of entries, so the ratio of means equals the ratio of sums.
            numerator, denominator = float(means["numerator"]), float(means["denominator"])
            report({self._result_key: numerator / denominator if denominator else math.nan})

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the current sums, and the trigger."""
        self._summary.serialize(serializer["summary"])
        trigger: Any = self._trigger
        if hasattr(trigger, "serialize"):
            trigger.serialize(serializer["trigger"])
