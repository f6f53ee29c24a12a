"""`IntervalTrigger`: fires every so many epochs or iterations."""

from __future__ import annotations

from typing import Any, cast

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, Trigger, TriggerLike
from renga_training.triggers.progress import Progress, Unit

__all__ = ["IntervalTrigger", "get_trigger"]


class IntervalTrigger(Trigger):
    """Fires every `period` epochs or iterations: when a multiple of the period has been reached or passed.

    Args:
        period: Length of the interval; a fraction of an epoch is allowed.
        unit: ``"epoch"`` or ``"iteration"``.

    Raises:
        ValueError: The period is not positive, or the unit is unknown.
    """

    def __init__(self, period: float, unit: Unit) -> None:
        if not period > 0:
            raise ValueError(f"the period of a trigger must be a positive number, not {period!r}")
        self.period = period
        self.unit = unit
        self._progress = Progress(unit)

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether a multiple of the period lies between the last call and now."""
        last, now = self._progress.step(trainer)
        return last // self.period != now // self.period

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the progress at the last call."""
        self._progress.serialize(serializer)

    def get_training_length(self) -> tuple[float, str]:
        """As a stop trigger, it ends training after one period."""
        return self.period, self.unit

    def __repr__(self) -> str:
        return f"IntervalTrigger({self.period!r}, {self.unit!r})"


class _NeverTrigger(Trigger):
    def __call__(self, trainer: TrainerLike) -> bool:
        return False


def get_trigger(trigger: TriggerLike | None) -> Any:
    """Return a trigger unchanged, an `IntervalTrigger` for a pair ``(1, "epoch")``, or for None one that never fires.

    Raises:
        TypeError: The argument is none of these.
        ValueError: The unit of the pair is unknown, or its period is not positive.
    """
    if trigger is None:
        return _NeverTrigger()
    if callable(trigger):
        return trigger
    if isinstance(trigger, (tuple, list)) and len(trigger) == 2 and isinstance(trigger[0], (int, float)):
        return IntervalTrigger(trigger[0], cast("Unit", trigger[1]))  # which checks the unit
    raise TypeError(f"not a trigger: {trigger!r}; give a pair such as (1, 'epoch'), or a function of the trainer")
