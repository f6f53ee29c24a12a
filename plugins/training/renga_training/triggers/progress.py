"""How far training is, in epochs or iterations."""

from __future__ import annotations

from typing import Literal, get_args

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike

__all__ = ["Progress", "Unit", "check_unit"]

Unit = Literal["epoch", "iteration"]


def check_unit(unit: str) -> None:
    """Raise ValueError unless it is a unit of progress."""
    if unit not in get_args(Unit):
        raise ValueError(f"a trigger counts in 'epoch' or 'iteration', not {unit!r}")


class Progress:
    """Where training was when last asked, and where it is now.

    The last time need not be one iteration ago: a trigger may be asked only now and then.
    """

    def __init__(self, unit: Unit) -> None:
        check_unit(unit)
        self.unit = unit
        self._last: float | None = None

    def step(self, trainer: TrainerLike) -> tuple[float, float]:
        """Progress at the last call and now. At the first call, one update ago counts as the last."""
        updater = trainer.updater
        now: float
        if self.unit == "epoch":
            # An updater that passes on what its iterator says has None before the first batch.
            before, now = updater.previous_epoch_detail or 0.0, updater.epoch_detail
        else:
            before, now = max(updater.iteration - 1, 0), updater.iteration
        last = before if self._last is None else self._last
        self._last = now
        return last, now

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load where training was when last asked."""
        self._last = serializer("last", self._last)
