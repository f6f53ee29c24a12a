"""Triggers, which decide when to act.

A pair such as ``(1, "epoch")`` or ``(100, "iteration")`` can be used in place of a trigger.

- `interval_trigger`: `IntervalTrigger`, every so many epochs or iterations; `get_trigger`, which accepts pairs.
- `once_trigger`: `OnceTrigger`, after the first iteration only.
- `manual_schedule_trigger`: `ManualScheduleTrigger`, at given epochs or iterations.
- `time_trigger`: `TimeTrigger`, every so many seconds.
- `best_value_trigger`: `MinValueTrigger`, `MaxValueTrigger`, `BestValueTrigger`, when a value is the best so far.
- `early_stopping_trigger`: `EarlyStoppingTrigger`, when a value no longer improves.
"""

from renga_training.triggers.best_value_trigger import BestValueTrigger, MaxValueTrigger, MinValueTrigger
from renga_training.triggers.early_stopping_trigger import EarlyStoppingTrigger
from renga_training.triggers.interval_trigger import IntervalTrigger, get_trigger
from renga_training.triggers.manual_schedule_trigger import ManualScheduleTrigger
from renga_training.triggers.once_trigger import OnceTrigger
from renga_training.triggers.time_trigger import TimeTrigger

__all__ = [
    "BestValueTrigger",
    "EarlyStoppingTrigger",
    "IntervalTrigger",
    "ManualScheduleTrigger",
    "MaxValueTrigger",
    "MinValueTrigger",
    "OnceTrigger",
    "TimeTrigger",
    "get_trigger",
]
