"""`WalkerAlias` with Chainer's table, so that it draws the same numbers: one uniform number selects column and part."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import Array, Device, to_host
from renga_nn.utils import WalkerAlias

__all__ = ["ADDITIONS"]


def make(self: WalkerAlias, probs: Any) -> None:
    """Fill columns, smallest probability first; the excess of a large one fills the first open column.

    Attributes: `threshold`, float32, the share of a column that its own number has; `values`, int32, ``(2 * n,)``:
    for each column, its own number and the other one.
    """
    super(WalkerAlias, self).__init__()
    p = np.array(to_host(probs) if hasattr(probs, "dtype") else probs, np.float32)
    p /= np.sum(p)
    n = len(p)
    threshold, values = np.empty(n, np.float32), np.zeros((n, 2), np.int32)
    opened: deque[int] = deque()
    for column, number in enumerate(np.argsort(p, kind="stable")):
        height = p[number] * n
        while height > 1 and opened:
            other = opened.popleft()
            values[other, 1] = number
            height -= 1.0 - threshold[other]
        threshold[column], values[column, 0] = height, number
        opened.append(column)
    self.threshold, self.values = threshold, values.reshape(-1)  # type: ignore[attr-defined]  # Chainer's
    to_device(self, self.device)


def sample(self: WalkerAlias, shape: int | tuple[int, ...]) -> Array:
    """Draw integers of `shape`, int32, on `device`."""
    with self.device.use():
        drawn = random.generator(self.device.backend).uniform(0, len(self.threshold), shape)
        dtype = self.threshold.dtype
        column = drawn.astype("int32")
        other = self.threshold[column] < drawn.astype(dtype) - column.astype(dtype)
        return self.values[column * 2 + other.astype("int32")]  # type: ignore[attr-defined]  # Chainer's


def to_device(self: WalkerAlias, device: str | Device) -> WalkerAlias:
    """Set the device for drawing."""
    super(WalkerAlias, self).to_device(device)
    self.threshold = self.device.send(self.threshold)
    self.values = self.device.send(self.values)  # type: ignore[attr-defined]  # Chainer's
    return self


ADDITIONS: list[tuple[type, str, Any]] = [
    (WalkerAlias, "__init__", make),
    (WalkerAlias, "sample", sample),
    (WalkerAlias, "to_device", to_device),
]
