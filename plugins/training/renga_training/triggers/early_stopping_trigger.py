"""`EarlyStoppingTrigger`: stops when a value no longer improves."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Literal

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, Trigger, TriggerLike
from renga_training.triggers.interval_mean import IntervalMean
from renga_training.triggers.interval_trigger import get_trigger

__all__ = ["EarlyStoppingTrigger"]


class EarlyStoppingTrigger(Trigger):
    """A stop trigger: fires when a value has not improved for some checks in a row, or at the latest at `max_trigger`.

    Args:
        check_trigger: Ends an interval; then the value's mean over the interval is checked.
        monitor: Name of the value, e.g. ``"validation/main/loss"``.
        patience: Number of checks in a row without improvement before training stops.
        mode: Whether smaller (``"min"``) or larger (``"max"``) is better; ``"auto"``: larger for names with
            ``accuracy``, smaller for others.
        verbose: Print a line when training stops because the value did not improve.
        max_trigger: The latest end of training; None: no limit.

    Attributes:
        best: The best mean so far; None before the first check.
        count: Number of checks since the best one.
    """

    def __init__(
        self,
        check_trigger: TriggerLike = (1, "epoch"),
        monitor: str = "main/loss",
        patience: int = 3,
        mode: Literal["auto", "min", "max"] = "auto",
        verbose: bool = False,
        max_trigger: TriggerLike | None = (100, "epoch"),
    ) -> None:
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode must be 'auto', 'min' or 'max', not {mode!r}")
        self.best: float | None = None
        self.count = 0
        self._monitor = monitor
        self._patience = patience
        self._verbose = verbose
        self._better = operator.gt if mode == "max" or (mode == "auto" and "accuracy" in monitor) else operator.lt
        self._mean = IntervalMean([monitor], check_trigger)
        self._max_trigger = get_trigger(max_trigger)

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether to stop. Warns if the value was not reported in an interval, which then does not count."""
        means = self._mean(trainer)
        if self._max_trigger(trainer):
            return True
        if means is None:
            return False
        if self._monitor not in means:
            warnings.warn(f"EarlyStoppingTrigger: {self._monitor!r} was not reported; not checked", stacklevel=2)
            return False
        value = means[self._monitor]
        if not math.isnan(value) and (self.best is None or self._better(value, self.best)):
            self.best, self.count = value, 0
            return False
        self.count += 1
        if self.count < self._patience:
            return False
        if self._verbose:
            print(f"Stopping: {self._monitor} has not improved on {self.best} for {self.count} checks.")
        return True

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the best value, the count, and the current interval."""
        self._mean.serialize(serializer)
        if hasattr(self._max_trigger, "serialize"):
            self._max_trigger.serialize(serializer["max_trigger"])
        self.best = serializer("best", self.best)
        self.count = serializer("count", self.count)

    def get_training_length(self) -> tuple[float, str] | None:
        """The maximum length of training, from `max_trigger`."""
        length: tuple[float, str] | None = getattr(self._max_trigger, "get_training_length", lambda: None)()
        return length
