"""Changing a hyperparameter while training, usually the learning rate.

    trainer.extend(ExponentialShift("lr", 0.5), trigger=(10, "epoch"))     # halve it every ten epochs

Each shift is a function of the number of times it was called, so that a resumed run goes on exactly where it was.
Several may share an attribute: a `WarmupShift` called in each iteration, and another shift that takes over.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from renga_core.errors import did_you_mean
from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, TrainerLike

__all__ = [
    "ExponentialShift",
    "InverseShift",
    "LinearShift",
    "MultistepShift",
    "PolynomialShift",
    "Shift",
    "StepShift",
    "WarmupShift",
    "require_attribute",
]


class Shift(Extension):
    """Sets an attribute of an optimizer to a function of the number of calls. A subclass defines `value`.

    Args:
        attr: Name of the attribute: ``"lr"``, ``"alpha"`` …
        init: Value to begin with; the optimizer's when training starts if None.
        optimizer: The optimizer, or its name in the updater; the main one if None.
    """

    communicates = False

    def __init__(self, attr: str, init: float | None = None, optimizer: Any = None) -> None:
        self._attr = attr
        self._init = init
        self._optimizer = optimizer
        self._t = 0
        self._owner: Any = None
        self._loaded: float | None = None

    @abstractmethod
    def value(self, init: float, t: int) -> float:
        """The value after `t` calls."""

    def initialize(self, trainer: TrainerLike) -> None:
        """Set the value to begin, or to go on, with. Raises AttributeError if the optimizer has no such attribute."""
        optimizer = self._target(trainer)
        require_attribute(self, optimizer, self._attr)
        if self._init is None:
            self._init = float(getattr(optimizer, self._attr))
        self._owner = optimizer
        # What was saved, rather than the value after `t` calls: another shift may have changed it since.
        setattr(optimizer, self._attr, self.value(self._init, self._t) if self._loaded is None else self._loaded)

    def __call__(self, trainer: TrainerLike) -> None:
        """Set the next value."""
        if self._init is None:
            raise RuntimeError(f"{type(self).__name__} was called before training started")
        self._t += 1
        setattr(self._target(trainer), self._attr, self.value(self._init, self._t))

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the number of calls, the value now, and that at the beginning, which may be the optimizer's."""
        self._t = serializer("t", self._t)
        self._init = serializer("init", self._init)
        now = None if self._owner is None else float(getattr(self._owner, self._attr))
        self._loaded = serializer("value", now)

    def _target(self, trainer: TrainerLike) -> Any:
        if self._optimizer is None or isinstance(self._optimizer, str):
            return trainer.updater.get_optimizer(self._optimizer or "main")
        return self._optimizer


def require_attribute(extension: Extension, optimizer: Any, attr: str) -> None:
    """Raise AttributeError, with near misses, if an optimizer has no attribute that an extension is to change."""
    if not hasattr(optimizer, attr):
        near = did_you_mean(attr, [name for name in dir(optimizer) if not name.startswith("_")])
        raise AttributeError(f"{type(extension).__name__}: {type(optimizer).__name__} has no {attr!r}.{near}")


class ExponentialShift(Shift):
    """Multiplies a hyperparameter by a rate at each call: ``init * rate ** t``.

    Args:
        attr: Name of the optimizer's attribute.
        rate: Factor, not negative.
        init: Value to begin with; the optimizer's if None.
        target: Value at which to stop changing.
        optimizer: The optimizer, or its name in the updater; the main one if None.

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
        optimizer: The optimizer, or its name in the updater; the main one if None.
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


class MultistepShift(Shift):
    """Multiplies a hyperparameter by a factor at each of some given calls: ``init * gamma ** (how many have come)``.

    Args:
        attr: Name of the optimizer's attribute.
        gamma: Factor.
        step_value: Numbers of the calls at which it changes.
        init: Value to begin with; the optimizer's if None.
        optimizer: The optimizer, or its name in the updater; the main one if None.
    """

    def __init__(
        self, attr: str, gamma: float, step_value: Sequence[float], init: float | None, optimizer: Any = None
    ) -> None:
        super().__init__(attr, init, optimizer)
        self._gamma = gamma
        self._steps = sorted(step_value)

    def value(self, init: float, t: int) -> float:
        """``init * gamma ** n``, where ``n`` of the steps are at call `t` or before."""
        return init * self._gamma ** bisect_right(self._steps, t)


class InverseShift(Shift):
    """Makes a hyperparameter smaller, fast at first and ever more slowly: ``init * (1 + gamma * t) ** -power``.

    It is Caffe's policy ``inv``.

    Args:
        attr: Name of the optimizer's attribute.
        gamma: How fast; not negative.
        power: Exponent.
        init: Value to begin with; the optimizer's if None.
        target: Value at which to stop changing.
        optimizer: The optimizer, or its name in the updater; the main one if None.

    Raises:
        ValueError: `gamma` is negative.
    """

    def __init__(
        self,
        attr: str,
        gamma: float,
        power: float,
        init: float | None = None,
        target: float | None = None,
        optimizer: Any = None,
    ) -> None:
        super().__init__(attr, init, optimizer)
        if gamma < 0:
            raise ValueError(f"gamma of InverseShift is not negative, but {gamma!r} is")
        self._gamma = gamma
        self._power = power
        self._stop = target

    def value(self, init: float, t: int) -> float:
        """``init * (1 + gamma * t) ** -power``, but never beyond the target."""
        return _not_beyond(self._stop, init, init * (1 + self._gamma * t) ** -self._power)


class PolynomialShift(Shift):
    """Takes a hyperparameter to zero along a power: ``init * (1 - t / max_count) ** rate``.

    Args:
        attr: Name of the optimizer's attribute.
        rate: Exponent: 1 is a straight line.
        max_count: Number of calls after which it is zero, and stays so.
        init: Value to begin with; the optimizer's if None.
        target: Value at which to stop changing.
        optimizer: The optimizer, or its name in the updater; the main one if None.

    Raises:
        ValueError: `max_count` is not positive, or `rate` is negative.
    """

    def __init__(
        self,
        attr: str,
        rate: float,
        max_count: float,
        init: float | None = None,
        target: float | None = None,
        optimizer: Any = None,
    ) -> None:
        super().__init__(attr, init, optimizer)
        if not max_count > 0:
            raise ValueError(f"max_count of PolynomialShift must be a positive number of calls, not {max_count!r}")
        if rate < 0:
            raise ValueError(f"the rate of PolynomialShift is not negative, but {rate!r} is")
        self._rate = rate
        self._max_count = max_count
        self._stop = target

    def value(self, init: float, t: int) -> float:
        """``init * (1 - t / max_count) ** rate``, but never beyond the target."""
        return _not_beyond(self._stop, init, init * max(1 - t / self._max_count, 0.0) ** self._rate)


class WarmupShift(Shift):
    """Raises a hyperparameter evenly to its value in the first calls; afterwards it leaves it alone.

    Large steps right at the start can do lasting harm (Goyal et al., arXiv:1706.02677, section 2.2).

    Args:
        attr: Name of the optimizer's attribute.
        warmup_start: Value to begin with; the optimizer's if None.
        warmup_iter: Number of calls after which `init` is reached.
        init: Value after that.
        optimizer: The optimizer, or its name in the updater; the main one if None.

    Raises:
        ValueError: `warmup_iter` is not positive.
    """

    def __init__(
        self, attr: str, warmup_start: float | None, warmup_iter: float, init: float, optimizer: Any = None
    ) -> None:
        super().__init__(attr, warmup_start, optimizer)
        if not warmup_iter > 0:
            raise ValueError(f"warmup_iter of WarmupShift must be a positive number of calls, not {warmup_iter!r}")
        self._warmup_iter = warmup_iter
        self._end = init

    def __call__(self, trainer: TrainerLike) -> None:
        """Set the next value, until the last has been reached."""
        if self._t < self._warmup_iter:
            super().__call__(trainer)

    def value(self, init: float, t: int) -> float:
        """A value on the straight line from the first to the last."""
        return init + (self._end - init) * min(t / self._warmup_iter, 1.0)


class LinearShift(Shift):
    """Moves a hyperparameter evenly from one value to another.

    Args:
        attr: Name of the optimizer's attribute.
        value_range: The value before and the value after.
        time_range: The number of calls at which it starts to move, and at which it is there.
        optimizer: The optimizer, or its name in the updater; the main one if None.
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
