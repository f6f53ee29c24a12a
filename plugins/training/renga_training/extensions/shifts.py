"""Changing a hyperparameter while training, usually the learning rate.

    trainer.extend(ExponentialShift("lr", 0.5), trigger=(10, "epoch"))     # halve it every ten epochs

Each shift is a function of the number of times it was called, so that a resumed run goes on exactly where it was.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from renga_core.errors import did_you_mean
from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, TrainerLike

__all__ = ["ExponentialShift", "LinearShift", "Shift", "StepShift"]


class Shift(Extension):
    """Sets an attribute of an optimizer to a function of the number of calls. A subclass defines `value`.

    Args:
        attr: Name of the attribute: ``"lr"``, ``"alpha"`` …
        init: Value to begin with; the optimizer's when training starts if None.
        optimizer: The optimizer; the updater's main one if None.
    """

    def __init__(self, attr: str, init: float | None = None, optimizer: Any = None) -> None:
        self._attr = attr
        self._init = init
        self._optimizer = optimizer
        self._t = 0

    @abstractmethod
    def value(self, init: float, t: int) -> float:
        """The value after `t` calls."""

    def initialize(self, trainer: TrainerLike) -> None:
        """Set the value to begin, or to go on, with. Raises AttributeError if the optimizer has no such attribute."""
        optimizer = self._target(trainer)
        if not hasattr(optimizer, self._attr):
            near = did_you_mean(self._attr, [name for name in dir(optimizer) if not name.startswith("_")])
            raise AttributeError(f"{type(self).__name__}: {type(optimizer).__name__} has no {self._attr!r}.{near}")
        current = getattr(optimizer, self._attr)
        if self._init is None:
            self._init = float(current)
        self._set(trainer)

    def __call__(self, trainer: TrainerLike) -> None:
        """Set the next value."""
        self._t += 1
        self._set(trainer)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the number of calls, and the value at the beginning, which may have been the optimizer's."""
        self._t = serializer("t", self._t)
        self._init = serializer("init", self._init)

    def _target(self, trainer: TrainerLike) -> Any:
        return trainer.updater.get_optimizer("main") if self._optimizer is None else self._optimizer

    def _set(self, trainer: TrainerLike) -> None:
        if self._init is None:
            raise RuntimeError(f"{type(self).__name__} was called before training started")
        setattr(self._target(trainer), self._attr, self.value(self._init, self._t))


class ExponentialShift(Shift):
    """Multiplies a hyperparameter by a rate at each call: ``init * rate ** t``.

    Args:
        attr: Name of the optimizer's attribute.
        rate: Factor, not negative.
        init: Value to begin with; the optimizer's if None.
        target: Value at which to stop changing.
        optimizer: The optimizer; the updater's main one if None.

    Raises:
        ValueError: The rate is negative.
    """

    def __init__(
        self, attr: str, rate: float, init: float | None = None, target: float | None = None, optimizer: Any = None
    ) -> None:
        super().__init__(attr, init, optimizer)
        if rate < 0:
            raise ValueError(f"the rate of ExponentialShift is not negative, but {rate!r} is")
        self._rate = rate
        self._stop = target

    def value(self, init: float, t: int) -> float:
        """``init * rate ** t``, but never beyond the target."""
        return _not_beyond(self._stop, init, init * self._rate**t)


class StepShift(Shift):
    """Multiplies a hyperparameter by a factor at each `step`-th call: ``init * gamma ** (t // step)``.

    Args:
        attr: Name of the optimizer's attribute.
        gamma: Factor.
        step: Number of calls from one change to the next.
        init: Value to begin with; the optimizer's if None.
        target: Value at which to stop changing.
        optimizer: The optimizer; the updater's main one if None.
    """

    def __init__(
        self,
        attr: str,
        gamma: float,
        step: int,
        init: float | None = None,
        target: float | None = None,
        optimizer: Any = None,
    ) -> None:
        super().__init__(attr, init, optimizer)
        self._gamma = gamma
        self._step = step
        self._stop = target

    def value(self, init: float, t: int) -> float:
        """``init * gamma ** (t // step)``, but never beyond the target."""
        return _not_beyond(self._stop, init, init * self._gamma ** (t // self._step))


class LinearShift(Shift):
    """Moves a hyperparameter evenly from one value to another.

    Args:
        attr: Name of the optimizer's attribute.
        value_range: The value before and the value after.
        time_range: The number of calls at which it starts to move, and at which it is there.
        optimizer: The optimizer; the updater's main one if None.
    """

    def __init__(
        self, attr: str, value_range: tuple[float, float], time_range: tuple[float, float], optimizer: Any = None
    ) -> None:
        super().__init__(attr, value_range[0], optimizer)
        self._value_range = value_range
        self._time_range = time_range

    def value(self, init: float, t: int) -> float:
        """The first value, the last, or one in between."""
        (first, last), (start, end) = self._value_range, self._time_range
        if t <= start:
            return first
        if t >= end:
            return last
        return first + (last - first) * (t - start) / (end - start)


def _not_beyond(target: float | None, init: float, value: float) -> float:
    """`value`, unless `target` lies between it and `init`."""
    if target is None:
        return value
    return min(value, target) if target > init else max(value, target)
