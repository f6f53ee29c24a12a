"""Triggers: `renga_training.triggers`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.plugin import TRIGGER
from renga_training.triggers import (
    BestValueTrigger,
    EarlyStoppingTrigger,
    IntervalTrigger,
    ManualScheduleTrigger,
    MaxValueTrigger,
    MinValueTrigger,
    OnceTrigger,
    TimeTrigger,
    get_trigger,
)

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

__getattr__ = registered(TRIGGER, "renga.training.triggers", __all__)
