"""Numbers about a running program: a loss, an accuracy, a learning rate.

Whoever knows a value reports it, without knowing who will read it::

    report({"loss": loss}, model)       # in the model

    reporter = Reporter()               # in the program
    reporter.add_observer("main", model)
    with reporter:
        model(x)
    reporter.observation                # {"main/loss": ...}

Outside a ``with reporter`` block, `report` does nothing. The current reporter belongs to the thread.
`Summary` and `DictSummary` make averages of such values over time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from renga_core.configuration import config, unusual
from renga_core.graph import Variable
from renga_core.serializers.protocol import Deserializer
from renga_core.tracing import traced

if TYPE_CHECKING:
    from renga_core.serializers import AbstractSerializer

__all__ = ["DictSummary", "Reporter", "Summary", "get_current_reporter", "report", "report_scope"]


class _Current(threading.local):
    def __init__(self) -> None:
        self.reporters: list[Reporter] = []


_current = _Current()


class Reporter:
    """Collects reported values.

    Attributes:
        observation: The values by name: ``"observer/key"`` if an observer reported them, ``"key"`` if nobody did.
    """

    def __init__(self) -> None:
        self.observation: dict[str, Any] = {}
        # An observer is kept beside its name: were it collected, another object could come to have its id.
        self._observers: dict[int, tuple[object, str]] = {}

    def __enter__(self) -> Self:
        """Make this the thread's current reporter."""
        _current.reporters.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _current.reporters.pop()

    @contextmanager
    def scope(self, observation: dict[str, Any]) -> Iterator[None]:
        """Make this the current reporter, and `observation` the dictionary it fills, while a ``with`` block runs."""
        before = self.observation
        self.observation = observation
        try:
            with self:
                yield
        finally:
            self.observation = before

    def add_observer(self, name: str, observer: object) -> None:
        """Let `observer` (any object, usually a link) report under `name`."""
        self._observers[id(observer)] = (observer, name)

    def add_observers(self, prefix: str, observers: Iterable[tuple[str, object]]) -> None:
        """Add pairs of name and observer, such as a link's ``namedlinks()``; `prefix` is put before each name."""
        for name, observer in observers:
            self.add_observer(prefix + name, observer)

    def report(self, values: Mapping[str, Any], observer: object | None = None) -> None:
        """Take values over.

        Args:
            values: Values by key. A Variable is cut off its graph, unless ``config.keep_graph_on_report`` is set.
            observer: Who reports; its name is put before each key.

        Raises:
            KeyError: The observer has not been added.
        """
        if unusual and config.tracers:
            traced("report", Reporter.report, self, values, observer)
            return
        prefix = ""
        if observer is not None:
            if id(observer) not in self._observers:
                known = ", ".join(name for _, name in self._observers.values()) or "none"
                raise KeyError(
                    f"{type(observer).__qualname__} is not an observer of this reporter; its observers: {known}"
                )
            prefix = self._observers[id(observer)][1] + "/"
        for key, value in values.items():
            if isinstance(value, Variable) and not config.keep_graph_on_report:
                value = Variable(value.array, requires_grad=False)
            self.observation[prefix + key] = value


def get_current_reporter() -> Reporter:
    """The reporter of the innermost ``with reporter`` block of this thread. Raises RuntimeError if there is none."""
    if not _current.reporters:
        raise RuntimeError("no reporter is current in this thread; `with reporter:` makes it so")
    return _current.reporters[-1]


def report(values: Mapping[str, Any], observer: object | None = None) -> None:
    """Report values to the current reporter; without one, do nothing.

    Args:
        values: Values by key. A pair ``(value, weight)`` counts with that weight in averages.
        observer: Who reports, usually the link itself. It must have been added to the reporter.
    """
    if _current.reporters:
        _current.reporters[-1].report(values, observer)


@contextmanager
def report_scope(observation: dict[str, Any]) -> Iterator[None]:
    """Let the current reporter fill `observation` while a ``with`` block runs. Raises RuntimeError if there is none."""
    with get_current_reporter().scope(observation):
        yield


class Summary:
    """Weighted mean and standard deviation of values of one shape that come one after another.

    Sums are kept in float64 on the device of the values, so adding waits for no device.
    """

    def __init__(self) -> None:
        self._x: Any = None
        self._x2: Any = None
        self._n: float = 0.0

    def add(self, value: Any, weight: float = 1) -> None:
        """Add a value (an array, a Variable or a number), which counts as `weight` values."""
        value = getattr(value, "array", value)
        value = value.astype(np.float64) if hasattr(value, "astype") else float(value)
        weighted = value * weight
        self._x = weighted if self._x is None else self._x + weighted
        self._x2 = weighted * value if self._x2 is None else self._x2 + weighted * value
        self._n += weight

    def merge(self, other: Summary) -> None:
        """Take in all that was added to another summary."""
        if other._x is not None:
            self._x = other._x if self._x is None else self._x + other._x
            self._x2 = other._x2 if self._x2 is None else self._x2 + other._x2
            self._n += other._n

    def compute_mean(self) -> Any:
        """The mean. Raises ValueError if nothing was added."""
        return self._checked_sum() / self._n

    def make_statistics(self) -> tuple[Any, Any]:
        """The mean and the standard deviation (of the whole population). Raises ValueError if nothing was added."""
        mean = self.compute_mean()
        # The mean of squares less the square of the mean may come out a little below zero.
        variance = self._x2 / self._n - mean * mean
        return mean, (variance * (variance > 0)) ** 0.5

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save the sums, or load them."""
        self._x = serializer("_x", self._x)
        self._x2 = serializer("_x2", self._x2)
        self._n = serializer("_n", self._n)

    def _checked_sum(self) -> Any:
        if self._x is None:
            raise ValueError("nothing was added to this summary")
        return self._x


class DictSummary:
    """A `Summary` for each key of dictionaries that come one after another, such as a reporter's observations."""

    def __init__(self) -> None:
        self._summaries: dict[str, Summary] = {}

    def add(self, d: Mapping[str, Any]) -> None:
        """Add the scalars of a dictionary; keys may differ from one to the next.

        Args:
            d: Numbers, zero-dimensional arrays or Variables, or pairs of one of these and its weight. Any other value
                is passed over.
        """
        for key, value in d.items():
            weight: Any = 1
            if isinstance(value, tuple) and len(value) == 2:
                value, weight = value
            value = getattr(value, "array", value)
            if isinstance(value, (int, float)) or getattr(value, "ndim", None) == 0:
                if key not in self._summaries:
                    self._summaries[key] = Summary()
                self._summaries[key].add(value, weight)

    def merge(self, other: DictSummary) -> None:
        """Take in all that was added to another summary, by another process for instance."""
        for key, summary in other._summaries.items():
            self._summaries.setdefault(key, Summary()).merge(summary)

    def compute_mean(self) -> dict[str, Any]:
        """The mean by key."""
        return {key: summary.compute_mean() for key, summary in self._summaries.items()}

    def make_statistics(self) -> dict[str, Any]:
        """The mean by key, and the standard deviation by key with ``.std`` after it."""
        statistics: dict[str, Any] = {}
        for key, summary in self._summaries.items():
            statistics[key], statistics[key + ".std"] = summary.make_statistics()
        return statistics

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save all sums, or load them in place of those here."""
        import json  # only snapshots need it

        keys = json.loads(serializer("_names", json.dumps(list(self._summaries))))
        if isinstance(serializer, Deserializer):
            self._summaries = {key: Summary() for key in keys}
        for index, key in enumerate(keys):
            self._summaries[key].serialize(serializer["_summaries"][str(index)])
