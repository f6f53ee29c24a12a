"""Sampling from a discrete distribution in constant time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from renga_core import random
from renga_core.backend import Array, Device, DeviceResident, get_array_module, to_host

__all__ = ["WalkerAlias"]


class WalkerAlias(DeviceResident):
    """Draws numbers from 0 to n - 1 with given probabilities, in constant time (Walker 1977).

    All numbers get columns of the same height. A column that its own number does not fill is filled up by another
    number, its alias. To draw, choose a column, then one of its two numbers by a second random number. The table is
    made without a loop, from sorted cumulative sums (Huebschle-Schneider & Sanders 2022).

    Args:
        probs: Weights of the numbers, not negative and not all 0; they need not sum to 1.

    Attributes:
        threshold: The fraction of each column that belongs to its own number, from 0 to 1.
        alias: The other number in each column.

    Raises:
        ValueError: A weight is negative or not finite, or all weights are 0.

    >>> from renga_core import random
    >>> random.seed(0)
    >>> samples = WalkerAlias([1, 0, 3]).sample((10000,))
    >>> [round(float((samples == k).mean()), 1) for k in range(3)]
    [0.2, 0.0, 0.8]
    """

    def __init__(self, probs: Sequence[float] | Array) -> None:
        weights = np.asarray(to_host(probs) if hasattr(probs, "dtype") else probs, dtype=np.float64)
        total = weights.sum()
        if weights.ndim != 1 or not np.isfinite(total) or total <= 0 or (weights < 0).any():
            raise ValueError(
                f"WalkerAlias: probs must be a row of weights that are not negative, and not all 0: {probs}"
            )
        threshold, alias = _table(weights * (weights.size / total))
        self.threshold: Array = threshold.astype(np.float32)
        self.alias: Array = alias.astype(np.int32)
        self.to_device(self.device)

    def sample(self, shape: int | tuple[int, ...]) -> Array:
        """Draw independent integers of `shape` on `device`."""
        generator = random.generator(self.device.backend)
        with self.device.use():
            column = generator.integers(0, self.alias.shape[0], shape)
            xp = get_array_module(column)
            threshold, alias = xp.asarray(self.threshold), xp.asarray(self.alias)
            return xp.where(generator.random(shape) < threshold[column], column, alias[column])

    def to_device(self, device: str | Device) -> Self:
        """Set the device for drawing numbers."""
        super().to_device(device)
        self.threshold = self.device.send(self.threshold)
        self.alias = self.device.send(self.alias)
        return self


def _table(heights: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Compute thresholds and aliases for column heights with mean 1.

    The excess of high columns fills up low columns, one after another. A high column that gives more than its excess
    becomes low, and is filled up by the next high one.
    """
    threshold, alias = np.ones(heights.size), np.arange(heights.size)
    low, high = np.flatnonzero(heights < 1), np.flatnonzero(heights > 1)
    if not low.size or not high.size:
        return threshold, alias
    lacking, over = np.cumsum(1 - heights[low]), np.cumsum(heights[high] - 1)
    begins = np.concatenate(([0.0], lacking[:-1]))
    # Rounding may make the sums differ at the very end.
    last = high.size - 1
    threshold[low] = heights[low]
    alias[low] = high[np.minimum(np.searchsorted(over, begins, side="right"), last)]
    emptied_by = np.minimum(np.searchsorted(lacking, over, side="left"), low.size - 1)
    threshold[high] = np.clip(1 + over - lacking[emptied_by], 0, 1)
    alias[high[:-1]] = high[1:]
    threshold[high[-1]] = 1
    return threshold, alias
