"""When a run ends, and triggers that also fire at its end."""

from __future__ import annotations

from typing import Any

from renga.training.triggers import IntervalTrigger
from renga_core.training import TrainerLike

__all__ = ["IntervalOrEnd", "Length"]


class Length(IntervalTrigger):
    """A stop trigger: stops after a number of epochs. A run that resumes after more epochs stops at once.

    Args:
        epochs: The number of epochs.
    """

    def __init__(self, epochs: float) -> None:
        super().__init__(epochs, "epoch")

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether training has reached the number of epochs."""
        super().__call__(trainer)  # updates the state that snapshots save
        return self.reached(trainer)

    def reached(self, trainer: TrainerLike) -> bool:
        """Whether training has reached the number of epochs. This call changes no state."""
        return trainer.updater.epoch_detail >= self.period


class IntervalOrEnd(IntervalTrigger):
    """A trigger: fires every so many epochs or iterations, and also at the end of the run.

    Args:
        interval: For example ``(10, "epoch")``.
    """

    def __init__(self, interval: tuple[int, Any]) -> None:
        super().__init__(*interval)

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether the trigger fires."""
        due = super().__call__(trainer)
        return due or trainer.stop_trigger.reached(trainer)
