"""Shifts of hyperparameters: Renga's, saved under Chainer's names."""

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
    """Mixed in: the number of calls and the last value. What is begun with is the optimizer's, which is not saved."""

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load them."""
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
        """Save or load the number of calls, from which the value follows; of steps made, for Chainer."""
        self._t = serializer("_t", self._t)
        serializer("_current_step", sum(self._t >= step for step in self._steps))


class PolynomialShift(_Saved, extensions.PolynomialShift):
    """Like `renga.training.extensions.PolynomialShift`; the rate may also be negative: the value grows."""

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
