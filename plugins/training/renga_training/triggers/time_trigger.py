"""`TimeTrigger`: fires every so many seconds."""

from __future__ import annotations

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, Trigger

__all__ = ["TimeTrigger"]


class TimeTrigger(Trigger):
    """Fires every `period` seconds of training, measured by `Trainer.elapsed_time`.

    Args:
        period: Seconds; positive.

    Raises:
        ValueError: `period` is not positive.
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
        # After an iteration of several periods, fire once, not once for each period.
        self._next = (trainer.elapsed_time // self.period + 1) * self.period
        return True

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the time at which it fires next."""
        self._next = serializer("next", self._next)
