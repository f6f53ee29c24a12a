# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_training.triggers import EarlyStoppingTrigger as EarlyStoppingTrigger
from renga_training.triggers import IntervalTrigger as IntervalTrigger
from renga_training.triggers import ManualScheduleTrigger as ManualScheduleTrigger
from renga_training.triggers import MaxValueTrigger as MaxValueTrigger
from renga_training.triggers import MinValueTrigger as MinValueTrigger
from renga_training.triggers import OnceTrigger as OnceTrigger
from renga_training.triggers import TimeTrigger as TimeTrigger
from renga_training.triggers.best_value_trigger import BestValueTrigger as BestValueTrigger
from renga_training.triggers.interval_trigger import get_trigger as get_trigger

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
