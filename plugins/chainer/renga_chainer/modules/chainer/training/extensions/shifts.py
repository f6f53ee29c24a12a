"""Shifts of hyperparameters: Renga's, with Chainer's names in snapshots."""

from __future__ import annotations

from typing import Any

from renga_chainer.modules.chainer.training.triggers import is_loading, saved_or
from renga_core.serializers import AbstractSerializer
from renga_training import extensions
from renga_training.extensions.shifts import Shift

__all__ = [
    "ExponentialShift",
    "InverseShift",
    "LinearShift",
    "MultistepShift",
    "PolynomialShift",
    "StepShift",
    "WarmupShift",
]


class _Saved(Shift):
    """Mixin that saves the number of calls and the last value, not the initial value, which the optimizer has."""

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the two values."""
        self._t = serializer("_t", self._t)
        now = None if self._owner is None else float(getattr(self._owner, self._attr))
        last = saved_or(
            serializer, "_last_value", now, None, "The last value is not saved: it is taken from the optimizer."
        )
        if is_loading(serializer):
            self._loaded = None if last is None else float(last)


class ExponentialShift(_Saved, extensions.ExponentialShift):
    """Like `renga.training.extensions.ExponentialShift`."""


class InverseShift(_Saved, extensions.InverseShift):
    """Like `renga.training.extensions.InverseShift`."""


class LinearShift(_Saved, extensions.LinearShift):
    """Like `renga.training.extensions.LinearShift`."""


class MultistepShift(_Saved, extensions.MultistepShift):
    """Like `renga.training.extensions.MultistepShift`."""

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the number of calls, which determines the value, and for Chainer the number of steps made."""
        self._t = serializer("_t", self._t)
        serializer("_current_step", sum(self._t >= step for step in self._steps))


class PolynomialShift(_Saved, extensions.PolynomialShift):
    """Like `renga.training.extensions.PolynomialShift`; a negative rate is allowed and increases the value."""

    def __init__(
        self,
        attr: str,
        rate: float,
        max_count: float,
        init: float | None = None,
        target: float | None = None,
        optimizer: Any = None,
    ) -> None:
        super().__init__(attr, abs(rate), max_count, init, target, optimizer)
        self._rate = rate


class StepShift(_Saved, extensions.StepShift):
    """Like `renga.training.extensions.StepShift`."""


class WarmupShift(_Saved, extensions.WarmupShift):
    """Like `renga.training.extensions.WarmupShift`."""
