"""``chainer.training.triggers``: they fire as Chainer's do, and are saved under Chainer's names."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from renga_core.serializers import AbstractSerializer, Deserializer
from renga_core.training import Trigger
from renga_training.summary import DictSummary

__all__ = [
    "BestValueTrigger",
    "EarlyStoppingTrigger",
    "IntervalTrigger",
    "ManualScheduleTrigger",
    "MaxValueTrigger",
    "MinValueTrigger",
    "OnceTrigger",
    "TimeTrigger",
    "get_trigger",
]


def saved_or(serializer: AbstractSerializer, key: str, value: Any, default: Any, warning: str) -> Any:
    """Save or load a value. If a file (of an older version) lacks it, warn and return the default."""
    try:
        return serializer(key, value)
    except KeyError:
        warnings.warn(warning, stacklevel=3)
        return default


_MAY_FAIL = "If this trigger is not called at every iteration, it may not work correctly."


class _Progress:
    """Progress of training at the last call and now, in one unit."""

    def __init__(self, unit: str) -> None:
        if unit not in ("epoch", "iteration"):
            raise ValueError(f"Trigger unit must be either 'epoch' or 'iteration', not {unit!r}")
        self.unit = unit
        self._previous_iteration = 0
        self._previous_epoch_detail: float = 0.0

    def step(self, trainer: Any) -> tuple[float, float]:
        updater = trainer.updater
        last: float
        now: float
        if self.unit == "epoch":
            last, now = self._previous_epoch_detail, updater.epoch_detail
            # If the file lacks it, use the updater's.
            last = (updater.previous_epoch_detail or 0.0) if last < 0 else last
        else:
            last, now = self._previous_iteration, updater.iteration
            last = now - 1 if last < 0 else last
        self._previous_iteration = updater.iteration
        if hasattr(updater, "epoch_detail"):
            self._previous_epoch_detail = updater.epoch_detail
        return last, now

    def serialize(self, serializer: AbstractSerializer) -> None:
        self._previous_iteration = saved_or(
            serializer,
            "previous_iteration",
            self._previous_iteration,
            -1,
            f"The previous value of iteration is not saved: it is guessed from the current one. {_MAY_FAIL}",
        )
        self._previous_epoch_detail = saved_or(
            serializer,
            "previous_epoch_detail",
            self._previous_epoch_detail,
            -1.0,
            f"The previous value of epoch_detail is not saved: the updater's is used. {_MAY_FAIL}",
        )


class IntervalTrigger(Trigger):
    """Fires every `period` epochs or iterations."""

    def __init__(self, period: float, unit: str) -> None:
        self._progress = _Progress(unit)
        self.period = period
        self.unit = unit
        self.count = 0

    def __call__(self, trainer: Any) -> bool:
        """Whether a multiple of the period lies between the last call and now."""
        last, now = self._progress.step(trainer)
        self.count = int(now // self.period)
        return last // self.period != now // self.period

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the progress of training at the last call."""
        self._progress.serialize(serializer)

    def get_training_length(self) -> tuple[float, str]:
        """Return one period."""
        return self.period, self.unit

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.period}, '{self.unit}')"


class ManualScheduleTrigger(Trigger):
    """Fires at given epochs or iterations.

    Attributes:
        finished: Whether the last point has been reached.
    """

    def __init__(self, points: float | Sequence[float], unit: str) -> None:
        self._progress = _Progress(unit)
        self.points = list(points) if isinstance(points, Sequence) else [points]
        self.unit = unit
        self.finished = False
        self._ask_points = False

    def __call__(self, trainer: Any) -> bool:
        """Whether a point lies between the last call and now."""
        last, now = self._progress.step(trainer)
        fire = any(last < point <= now for point in self.points)
        if (fire or self._ask_points) and now >= max(self.points):
            self.finished = True
        self._ask_points = False
        return fire

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the progress of training at the last call."""
        self._progress.serialize(serializer)
        finished = saved_or(
            serializer,
            "finished",
            self.finished,
            None,
            "The flag of finished is not saved: it stays False until the next call of the trigger.",
        )
        self.finished, self._ask_points = bool(finished), finished is None


class OnceTrigger(Trigger):
    """Fires after the first iteration only; with `call_on_resume`, also after each resume."""

    def __init__(self, call_on_resume: bool = False) -> None:
        self._flag_first = True
        self._flag_resumed = call_on_resume

    @property
    def finished(self) -> bool:
        """Whether it will not fire again."""
        return not (self._flag_first or self._flag_resumed)

    def __call__(self, trainer: Any) -> bool:
        """Whether it fires now."""
        fire = not self.finished
        self._flag_first = self._flag_resumed = False
        return fire

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load whether it has fired."""
        flag = saved_or(
            serializer,
            "_flag_first",
            self._flag_first,
            False,
            "The flag is not saved: OnceTrigger assumes that it has fired. Otherwise it may not work correctly.",
        )
        self._flag_first = bool(flag)


class TimeTrigger(Trigger):
    """Fires every `period` seconds of training."""

    def __init__(self, period: float) -> None:
        self._period = period
        self._next_time = period

    def __call__(self, trainer: Any) -> bool:
        """Whether a period has passed since it last fired."""
        if self._next_time < trainer.elapsed_time:
            self._next_time += self._period
            return True
        return False

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the time at which it fires next."""
        self._next_time = float(serializer("next_time", self._next_time))


class BestValueTrigger(Trigger):
    """Fires if the mean of an observed value over an interval is the best so far, by ``compare(best, new)``."""

    def __init__(self, key: str, compare: Callable[[float, float], bool], trigger: Any = (1, "epoch")) -> None:
        self._key = key
        self._best_value: Any = None
        self._interval_trigger = get_trigger(trigger)
        self._summary = DictSummary()
        self._compare = compare

    @property
    def best_value(self) -> Any:
        """The best mean so far; None before the first."""
        return self._best_value

    def __call__(self, trainer: Any) -> bool:
        """Whether an interval ends with a new best mean."""
        if self._key in trainer.observation:
            self._summary.add({self._key: trainer.observation[self._key]})
        if not self._interval_trigger(trainer):
            return False
        means = self._summary.compute_mean()
        if self._key not in means:
            known = ", ".join(trainer.observation) or "nothing"
            raise KeyError(f"{self._key!r} was not reported to {type(self).__name__}; this iteration reported: {known}")
        value = float(means[self._key])
        self._summary = DictSummary()
        if self._best_value is None or self._compare(self._best_value, value):
            self._best_value = value
            return True
        return False

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the best value and the sums of the current interval."""
        serialize_if_it_can(self._interval_trigger, serializer["interval_trigger"])
        self._summary.serialize(serializer["summary"])
        best = serializer("best_value", self._best_value)
        self._best_value = None if best is None else float(best)


class MaxValueTrigger(BestValueTrigger):
    """Fires if the mean of an observed value over an interval is the largest so far."""

    def __init__(self, key: str, trigger: Any = (1, "epoch")) -> None:
        super().__init__(key, operator.lt, trigger)


class MinValueTrigger(BestValueTrigger):
    """Fires if the mean of an observed value over an interval is the smallest so far."""

    def __init__(self, key: str, trigger: Any = (1, "epoch")) -> None:
        super().__init__(key, operator.gt, trigger)


class EarlyStoppingTrigger(Trigger):
    """Stop trigger: fires if a value has not improved for `patience` checks in a row, or at `max_trigger`.

    `patients` is Chainer's other name for `patience`. Unlike in Chainer, the state is saved.
    """

    def __init__(
        self,
        check_trigger: Any = (1, "epoch"),
        monitor: str = "main/loss",
        patience: int | None = None,
        mode: str = "auto",
        verbose: bool = False,
        max_trigger: Any = (100, "epoch"),
        *,
        patients: int | None = None,
    ) -> None:
        if patience is not None and patients is not None:
            raise TypeError("patience and patients are the same: specify only patience")
        self.patience = next((given for given in (patience, patients) if given is not None), 3)
        self.count = 0
        self.monitor = monitor
        self.verbose = verbose
        self._max_trigger = get_trigger(max_trigger)
        self._interval_trigger = get_trigger(check_trigger)
        self._summary = DictSummary()
        more = mode == "max" or (mode != "min" and "accuracy" in monitor)
        self._compare = operator.gt if more else operator.lt
        self.best = float("-inf" if more else "inf")
        if verbose:
            print(f"early stopping: operator is {'greater' if more else 'less'}")

    def __call__(self, trainer: Any) -> bool:
        """Whether training should stop."""
        observation = trainer.observation
        if self.monitor in observation:
            self._summary.add({self.monitor: observation[self.monitor]})
        if self._max_trigger(trainer):
            return True
        if not self._interval_trigger(trainer):
            return False
        if self.monitor not in observation:
            warnings.warn(f"{self.monitor} is not in observation", stacklevel=2)
            return False
        value = float(self._summary.compute_mean()[self.monitor])
        self._summary = DictSummary()
        if self._compare(value, self.best):
            self.best, self.count = value, 0
        else:
            self.count += 1
        if self.count < self.patience:
            return False
        if self.verbose:
            print(f"Epoch {trainer.updater.epoch}: early stopping")
        return True

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the best value, the count and the current interval; files of Chainer do not contain them."""
        try:
            self.best = serializer("best", self.best)
        except KeyError:
            return
        self.count = serializer("count", self.count)
        serialize_if_it_can(self._max_trigger, serializer["max_trigger"])
        serialize_if_it_can(self._interval_trigger, serializer["interval_trigger"])
        self._summary.serialize(serializer["summary"])

    def get_training_length(self) -> Any:
        """Return the training length of `max_trigger`."""
        return self._max_trigger.get_training_length()


def _never(trainer: Any) -> bool:
    return False


def get_trigger(trigger: Any) -> Any:
    """Return a trigger unchanged, an `IntervalTrigger` for a pair ``(1, "epoch")``, a trigger that never fires for
    None."""
    if trigger is None:
        return _never
    return trigger if callable(trigger) else IntervalTrigger(*trigger)


def serialize_if_it_can(obj: Any, serializer: AbstractSerializer) -> None:
    """Accept any function as a trigger or an extension."""
    if hasattr(obj, "serialize"):
        obj.serialize(serializer)


def is_loading(serializer: AbstractSerializer) -> bool:
    """Whether values are loaded from a file."""
    return isinstance(serializer, Deserializer)
