"""Changing a hyperparameter, usually the learning rate, during training.

    trainer.extend(ExponentialShift("lr", 0.5), trigger=(10, "epoch"))     # halve it every ten epochs

Each shift is a function of the number of its calls, so a resumed run continues exactly. Several shifts may change the
same attribute: for example, a `WarmupShift` called in each iteration, followed by another shift.
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
        init: Initial value; None: the optimizer's value when training starts.
        optimizer: The optimizer, or its name in the updater; None: the main optimizer.
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
        """Set the initial or resumed value. Raises AttributeError if the optimizer has no such attribute."""
        optimizer = self._target(trainer)
        require_attribute(self, optimizer, self._attr)
        if self._init is None:
            self._init = float(getattr(optimizer, self._attr))
        self._owner = optimizer
        # Use the saved value, not the value after `t` calls: another shift may have changed it since.
        setattr(optimizer, self._attr, self.value(self._init, self._t) if self._loaded is None else self._loaded)

    def __call__(self, trainer: TrainerLike) -> None:
        """Set the next value."""
        if self._init is None:
            raise RuntimeError(f"{type(self).__name__} was called before training started")
        self._t += 1
        setattr(self._target(trainer), self._attr, self.value(self._init, self._t))

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the number of calls, the current value, and the initial value, which may be the optimizer's."""
        self._t = serializer("t", self._t)
        self._init = serializer("init", self._init)
        now = None if self._owner is None else float(getattr(self._owner, self._attr))
        self._loaded = serializer("value", now)

    def _target(self, trainer: TrainerLike) -> Any:
        if self._optimizer is None or isinstance(self._optimizer, str):
            return trainer.updater.get_optimizer(self._optimizer or "main")
        return self._optimizer


def require_attribute(extension: Extension, optimizer: Any, attr: str) -> None:
    """Raise AttributeError, with suggestions, if an optimizer lacks the attribute that an extension changes."""
    if not hasattr(optimizer, attr):
        near = did_you_mean(attr, [name for name in dir(optimizer) if not name.startswith("_")])
        raise AttributeError(f"{type(extension).__name__}: {type(optimizer).__name__} has no {attr!r}.{near}")


class ExponentialShift(Shift):
    """Multiplies a hyperparameter by a rate at each call: ``init * rate ** t``.

    Args:
        attr: Name of the optimizer's attribute.
        rate: Factor; not negative.
        init: Initial value; None: the optimizer's value.
        target: Final value; there the changes stop.
        optimizer: The optimizer, or its name in the updater; None: the main optimizer.

    Raises:
        ValueError: The rate is negative.
    """

    def __init__(
        self, attr: str, rate: float, init: float | None = None, target: float | None = None, optimizer: Any = None
    ) -> None:
        super().__init__(attr, init, optimizer)
        if rate < 0:
            raise ValueError(f"the rate of ExponentialShift must not be negative, but is {rate!r}")
        self._rate = rate
        self._stop = target

    def value(self, init: float, t: int) -> float:
        """``init * rate ** t``, limited by the target."""
        return _not_beyond(self._stop, init, init * self._rate**t)


class StepShift(Shift):
    """Multiplies a hyperparameter by a factor after every `step` calls: ``init * gamma ** (t // step)``.

    Args:
        attr: Name of the optimizer's attribute.
        gamma: Factor.
        step: Number of calls between changes.
        init: Initial value; None: the optimizer's value.
        target: Final value; there the changes stop.
        optimizer: The optimizer, or its name in the updater; None: the main optimizer.
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
        """``init * gamma ** (t // step)``, limited by the target."""
        return _not_beyond(self._stop, init, init * self._gamma ** (t // self._step))


class MultistepShift(Shift):
    """Multiplies a hyperparameter by a factor at given calls: ``init * gamma ** n`` after `n` of these calls.

    Args:
        attr: Name of the optimizer's attribute.
        gamma: Factor.
        step_value: Numbers of the calls at which the value changes.
        init: Initial value; None: the optimizer's value.
        optimizer: The optimizer, or its name in the updater; None: the main optimizer.
    """

    def __init__(
        self, attr: str, gamma: float, step_value: Sequence[float], init: float | None, optimizer: Any = None
    ) -> None:
        super().__init__(attr, init, optimizer)
        self._gamma = gamma
        self._steps = sorted(step_value)

    def value(self, init: float, t: int) -> float:
        """``init * gamma ** n``, where `n` is the number of steps at or before call `t`."""
        return init * self._gamma ** bisect_right(self._steps, t)


class InverseShift(Shift):
    """Reduces a hyperparameter, fast at first and then more slowly: ``init * (1 + gamma * t) ** -power``.

    This is Caffe's policy ``inv``.

    Args:
        attr: Name of the optimizer's attribute.
        gamma: Speed; not negative.
        power: Exponent.
        init: Initial value; None: the optimizer's value.
        target: Final value; there the changes stop.
        optimizer: The optimizer, or its name in the updater; None: the main optimizer.

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
            raise ValueError(f"gamma of InverseShift must not be negative, but is {gamma!r}")
        self._gamma = gamma
        self._power = power
        self._stop = target

    def value(self, init: float, t: int) -> float:
        """``init * (1 + gamma * t) ** -power``, limited by the target."""
        return _not_beyond(self._stop, init, init * (1 + self._gamma * t) ** -self._power)


class PolynomialShift(Shift):
    """Reduces a hyperparameter to zero by a power function: ``init * (1 - t / max_count) ** rate``.

    Args:
        attr: Name of the optimizer's attribute.
        rate: Exponent; 1: linear.
        max_count: Number of calls after which it is zero.
        init: Initial value; None: the optimizer's value.
        target: Final value; there the changes stop.
        optimizer: The optimizer, or its name in the updater; None: the main optimizer.

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
            raise ValueError(f"the rate of PolynomialShift must not be negative, but is {rate!r}")
        self._rate = rate
        self._max_count = max_count
        self._stop = target

    def value(self, init: float, t: int) -> float:
        """``init * (1 - t / max_count) ** rate``, limited by the target."""
        return _not_beyond(self._stop, init, init * max(1 - t / self._max_count, 0.0) ** self._rate)


class WarmupShift(Shift):
    """Increases a hyperparameter linearly to its value in the first calls; afterwards it does not change it.

    Large steps at the start can do lasting harm (Goyal et al., arXiv:1706.02677, section 2.2).

    Args:
        attr: Name of the optimizer's attribute.
        warmup_start: Initial value; None: the optimizer's value.
        warmup_iter: Number of calls until `init` is reached.
        init: Value after the warm-up.
        optimizer: The optimizer, or its name in the updater; None: the main optimizer.

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
        """Set the next value, until the last value is reached."""
        if self._t < self._warmup_iter:
            super().__call__(trainer)

    def value(self, init: float, t: int) -> float:
        """A value on the straight line from the first to the last value."""
        return init + (self._end - init) * min(t / self._warmup_iter, 1.0)


class LinearShift(Shift):
    """Changes a hyperparameter linearly from one value to another.

    Args:
        attr: Name of the optimizer's attribute.
        value_range: The first and the last value.
        time_range: The numbers of calls at which the change starts and ends.
        optimizer: The optimizer, or its name in the updater; None: the main optimizer.
    """

    def __init__(
        self, attr: str, value_range: tuple[float, float], time_range: tuple[float, float], optimizer: Any = None
    ) -> None:
        super().__init__(attr, value_range[0], optimizer)
        self._value_range = value_range
        self._time_range = time_range

    def value(self, init: float, t: int) -> float:
        """The first value, the last value, or a value in between."""
        (first, last), (start, end) = self._value_range, self._time_range
        if t <= start:
            return first
        if t >= end:
            return last
        return first + (last - first) * (t - start) / (end - start)


def _not_beyond(target: float | None, init: float, value: float) -> float:
    """`value`, limited by `target` on the way from `init`."""
    if target is None:
        return value
    return min(value, target) if target > init else max(value, target)
