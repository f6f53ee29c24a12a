"""Ending a run that no longer gets better."""

from __future__ import annotations

from typing import Literal

from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, TrainerLike, TriggerLike
from renga_training.triggers import EarlyStoppingTrigger

__all__ = ["EarlyStopping"]


class EarlyStopping(Extension):
    """Ends training when a value has not got better for some checks in a row.

    The trainer's stop trigger stays as it is: it says when training ends in any case. The state at the end is saved
    where a `snapshot` is among the extensions.

    Args:
        monitor: Name of the value.
        patience: Number of checks in a row without getting better after which to stop; at least 1.
        mode: Whether less (``"min"``) or more (``"max"``) is better; ``"auto"`` takes more of what is called accuracy,
            and less of anything else.
        trigger: Ends an interval; the value's mean over the interval is then checked.

    Raises:
        ValueError: `patience` is less than 1, or `mode` none of these.
    """

    communicates = False

    def __init__(
        self,
        monitor: str = "validation/main/loss",
        patience: int = 3,
        mode: Literal["auto", "min", "max"] = "auto",
        trigger: TriggerLike = (1, "epoch"),
    ) -> None:
        if patience < 1:
            raise ValueError(f"patience must be a number of checks, at least 1, not {patience}")
        self._monitor = monitor
        self._trigger = EarlyStoppingTrigger(trigger, monitor, patience, mode, max_trigger=None)

    def __call__(self, trainer: TrainerLike) -> None:
        """Look at the value, in each iteration; at the end of an interval, ask the trainer to stop if it is time."""
        if self._trigger(trainer):
            count = self._trigger.count
            checks = f"{count} check{'s' if count > 1 else ''}"
            trainer.stop(f"{self._monitor} has been no better than {self._trigger.best:.6g} for {checks}")

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the best value, the count, and the running interval."""
        self._trigger.serialize(serializer)
