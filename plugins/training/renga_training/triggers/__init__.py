"""When to do something.

Wherever a trigger is wanted, a pair such as ``(1, "epoch")`` or ``(100, "iteration")`` will do.

- `interval_trigger`: `IntervalTrigger`, every so many epochs or iterations; `get_trigger`, which makes one of a pair.
- `once_trigger`: `OnceTrigger`, at the first time and never again.
- `manual_schedule_trigger`: `ManualScheduleTrigger`, at given epochs or iterations.
- `time_trigger`: `TimeTrigger`, every so many seconds.
- `best_value_trigger`: `MinValueTrigger`, `MaxValueTrigger`, `BestValueTrigger`, when a value is the best so far.
- `early_stopping_trigger`: `EarlyStoppingTrigger`, when a value has stopped getting better.
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
