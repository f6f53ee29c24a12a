"""`ManualScheduleTrigger`: fires at given epochs or iterations."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, Trigger
from renga_training.triggers.progress import Progress, Unit

__all__ = ["ManualScheduleTrigger"]


class ManualScheduleTrigger(Trigger):
    """Fires at given points of training: when a point has been reached or passed.

    Args:
        points: Epochs (fractions are allowed) or iterations; or a single one.
        unit: ``"epoch"`` or ``"iteration"``.

    Raises:
        ValueError: The unit is unknown.
    """

    def __init__(self, points: float | Sequence[float], unit: Unit) -> None:
        self.points = [points] if isinstance(points, (int, float)) else list(points)
        self.unit = unit
        self._progress = Progress(unit)

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether a point lies between the last call and now."""
        last, now = self._progress.step(trainer)
        return any(last < point <= now for point in self.points)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the progress at the last call."""
        self._progress.serialize(serializer)
