"""`EarlyStopping`: ends a run that no longer improves."""

from __future__ import annotations

from typing import Literal

from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, TrainerLike, TriggerLike
from renga_training.triggers import EarlyStoppingTrigger

__all__ = ["EarlyStopping"]


class EarlyStopping(Extension):
    """Ends training when a value has not improved for some checks in a row.

    The trainer's stop trigger still limits the length of training. If a `snapshot` extension is present, it saves the
    final state.

    Args:
        monitor: Name of the value.
        patience: Number of checks in a row without improvement before training stops; at least 1.
        mode: Whether smaller (``"min"``) or larger (``"max"``) is better; ``"auto"``: larger for names with
            ``accuracy``, smaller for others.
        trigger: Ends an interval; then the value's mean over the interval is checked.

    Raises:
        ValueError: `patience` is less than 1, or `mode` is invalid.
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
        """Record the value in each iteration; at the end of an interval, stop training if necessary."""
        if self._trigger(trainer):
            count = self._trigger.count
            checks = f"{count} check{'s' if count > 1 else ''}"
            trainer.stop(f"{self._monitor} has not improved on {self._trigger.best:.6g} for {checks}")

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the best value, the count, and the current interval."""
        self._trigger.serialize(serializer)
