"""Every so many seconds."""

from __future__ import annotations

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, Trigger

__all__ = ["TimeTrigger"]


class TimeTrigger(Trigger):
    """Every `period` seconds of training, as `Trainer.elapsed_time` counts them.

    Args:
        period: Seconds, more than zero.

    Raises:
        ValueError: They are not.
    """

    def __init__(self, period: float) -> None:
        if not period > 0:
            raise ValueError(f"the period of a trigger must be a positive number of seconds, not {period!r}")
        self.period = period
        self._next = period

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether a period has passed since it last fired."""
        if trainer.elapsed_time < self._next:
            return False
        # An iteration that took several periods makes it fire once, not once for each.
        self._next = (trainer.elapsed_time // self.period + 1) * self.period
        return True

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the time at which it fires next."""
        self._next = serializer("next", self._next)
