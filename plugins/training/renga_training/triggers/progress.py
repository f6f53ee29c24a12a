"""The progress of training, in epochs or iterations."""

from __future__ import annotations

from typing import Literal, get_args

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike

__all__ = ["Progress", "Unit", "check_unit"]

Unit = Literal["epoch", "iteration"]


def check_unit(unit: str) -> None:
    """Raise ValueError if the unit is unknown."""
    if unit not in get_args(Unit):
        raise ValueError(f"a trigger counts in 'epoch' or 'iteration', not {unit!r}")


class Progress:
    """Returns the progress at the last call and now.

    The last call need not be one iteration ago: a trigger may be called only occasionally.
    """

    def __init__(self, unit: Unit) -> None:
        check_unit(unit)
        self.unit = unit
        self._last: float | None = None

    def step(self, trainer: TrainerLike) -> tuple[float, float]:
        """Return the progress at the last call and now. The first call returns the progress one update ago."""
        updater = trainer.updater
        now: float
        if self.unit == "epoch":
            # With some updaters, the iterator's None before the first batch appears here.
            before, now = updater.previous_epoch_detail or 0.0, updater.epoch_detail
        else:
            before, now = max(updater.iteration - 1, 0), updater.iteration
        last = before if self._last is None else self._last
        self._last = now
        return last, now

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the progress at the last call."""
        self._last = serializer("last", self._last)
