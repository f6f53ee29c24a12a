"""Averages of values over time, such as those that a reporter observes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.serializers.protocol import Deserializer

if TYPE_CHECKING:
    from renga_core.serializers import AbstractSerializer

__all__ = ["DictSummary", "Summary"]


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
