"""How long a run lasts."""

from __future__ import annotations

from renga.training.triggers import IntervalTrigger
from renga_core.training import TrainerLike

__all__ = ["Length"]


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
