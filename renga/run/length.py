"""How long a run lasts, and what is done at its end."""

from __future__ import annotations

from typing import Any

from renga.training.triggers import IntervalTrigger
from renga_core.training import TrainerLike

__all__ = ["IntervalOrEnd", "Length"]


class Length(IntervalTrigger):
    """A stop trigger: after so many epochs. A run that is resumed after more of them stops at once.

    Args:
        epochs: How many.
    """

    def __init__(self, epochs: float) -> None:
        super().__init__(epochs, "epoch")

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether training has lasted so long."""
        super().__call__(trainer)  # keeps the state that snapshots hold of a stop trigger
        return self.reached(trainer)

    def reached(self, trainer: TrainerLike) -> bool:
        """Whether training has lasted so long. Asking changes nothing."""
        return trainer.updater.epoch_detail >= self.period


class IntervalOrEnd(IntervalTrigger):
    """A trigger: every so many epochs or iterations, and at the end of the run, so that its end is not missed.

    Args:
        interval: ``(10, "epoch")``.
    """

    def __init__(self, interval: tuple[int, Any]) -> None:
        super().__init__(*interval)

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether it is time."""
        due = super().__call__(trainer)
        return due or trainer.stop_trigger.reached(trainer)
