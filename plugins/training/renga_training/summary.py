"""Averages of values over time, such as reported values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import get_array_module, get_backend, get_device_of, is_array, to_host
from renga_core.serializers.protocol import Deserializer

if TYPE_CHECKING:
    from renga_core.serializers import AbstractSerializer

__all__ = ["DictSummary", "Summary"]

_TOGETHER = 256
"""Scalars of an accelerator that become one array, so that a long interval keeps few of them."""


class Summary:
    """Weighted mean and standard deviation of a series of values of the same shape.

    Sums are in float64. Adding does not wait for an accelerator: a scalar is copied there, in one launch, and added to
    the sums when they are read. Sums of larger arrays stay on their device.
    """

    def __init__(self) -> None:
        self._x: Any = None
        self._x2: Any = None
        self._n: float = 0.0
        self._waiting: list[Any] = []
        self._joined: list[Any] = []
        self._weights: list[float] = []

    def add(self, value: Any, weight: float = 1) -> None:
        """Add a value (an array, a Variable or a number) with a weight."""
        value = getattr(value, "array", value)
        value = value.astype(np.float64) if hasattr(value, "astype") else float(value)
        if is_array(value) and value.ndim == 0 and get_backend(value).name != "numpy" and np.isscalar(weight):
            self._keep(value, weight)
        else:
            self._settle()
            self._count(value, weight)

    def _keep(self, value: Any, weight: Any) -> None:
        """Add a scalar of an accelerator when the sums are read: until then, it is one copied number."""
        self._waiting.append(value)
        self._weights.append(float(weight))
        if len(self._waiting) == _TOGETHER:
            self._join()

    def _join(self) -> None:
        with get_device_of(self._waiting[0]).use():
            self._joined.append(get_array_module(self._waiting[0]).stack(self._waiting))
        self._waiting = []

    def _settle(self) -> None:
        """Wait for the accelerator, and add what it has computed, in the order in which it was given."""
        if self._waiting:
            self._join()
        values = [value for joined in self._joined for value in to_host(joined).tolist()]
        weights, self._joined, self._weights = self._weights, [], []
        for value, weight in zip(values, weights, strict=True):
            self._count(value, weight)

    def _count(self, value: Any, weight: Any) -> None:
        weighted = value * weight
        self._x = weighted if self._x is None else self._x + weighted
        self._x2 = weighted * value if self._x2 is None else self._x2 + weighted * value
        self._n += weight

    def merge(self, other: Summary) -> None:
        """Add everything that was added to another summary."""
        self._settle()
        other._settle()
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
        # Rounding may make the mean of squares minus the square of the mean slightly negative.
        variance = self._x2 / self._n - mean * mean
        return mean, (variance * (variance > 0)) ** 0.5

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the sums."""
        self._settle()
        self._x = serializer("_x", self._x)
        self._x2 = serializer("_x2", self._x2)
        self._n = serializer("_n", self._n)

    def _checked_sum(self) -> Any:
        self._settle()
        if self._x is None:
            raise ValueError("nothing was added to this summary")
        return self._x


class DictSummary:
    """A `Summary` for each key of a series of dictionaries, such as a reporter's observations."""

    def __init__(self) -> None:
        self._summaries: dict[str, Summary] = {}

    def add(self, d: Mapping[str, Any]) -> None:
        """Add the scalars of a dictionary; keys may differ between dictionaries.

        Args:
            d: Numbers, zero-dimensional arrays or Variables, or pairs of such a value and its weight. Other values are
                ignored.
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
        """Add everything that was added to another summary, for example by another process."""
        for key, summary in other._summaries.items():
            self._summaries.setdefault(key, Summary()).merge(summary)

    def compute_mean(self) -> dict[str, Any]:
        """The mean by key."""
        return {key: summary.compute_mean() for key, summary in self._summaries.items()}

    def make_statistics(self) -> dict[str, Any]:
        """The mean by key, and the standard deviation under the key with ``.std`` appended."""
        statistics: dict[str, Any] = {}
        for key, summary in self._summaries.items():
            statistics[key], statistics[key + ".std"] = summary.make_statistics()
        return statistics

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save all sums, or load them to replace the current ones."""
        import json  # only snapshots need it

        keys = json.loads(serializer("_names", json.dumps(list(self._summaries))))
        if isinstance(serializer, Deserializer):
            self._summaries = {key: Summary() for key in keys}
        for index, key in enumerate(keys):
            self._summaries[key].serialize(serializer["_summaries"][str(index)])
