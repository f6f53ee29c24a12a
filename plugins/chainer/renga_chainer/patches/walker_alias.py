"""`WalkerAlias` with Chainer's table, which decides what is drawn: one uniform number chooses column and part."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import Array, Device, to_host
from renga_nn.utils import WalkerAlias

__all__ = ["ADDITIONS"]


def make(self: WalkerAlias, probs: Any) -> None:
    """Fill columns, the smallest probability first; what sticks out of one fills up the first that is open.

    Attributes: `threshold`, in float32, how far a column is filled by its own number; `values`, int32, ``(2 * n,)``:
    that number and the other one, of each column.
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
    """Integers of `shape`, in int32, on `device`."""
    with self.device.use():
        drawn = random.generator(self.device.backend).uniform(0, len(self.threshold), shape)
        dtype = self.threshold.dtype
        column = drawn.astype("int32")
        other = self.threshold[column] < drawn.astype(dtype) - column.astype(dtype)
        return self.values[column * 2 + other.astype("int32")]  # type: ignore[attr-defined]  # Chainer's


def to_device(self: WalkerAlias, device: str | Device) -> WalkerAlias:
    """Set the device on which numbers are drawn."""
    super(WalkerAlias, self).to_device(device)
    self.threshold = self.device.send(self.threshold)
    self.values = self.device.send(self.values)  # type: ignore[attr-defined]  # Chainer's
    return self


ADDITIONS: list[tuple[type, str, Any]] = [
    (WalkerAlias, "__init__", make),
    (WalkerAlias, "sample", sample),
    (WalkerAlias, "to_device", to_device),
]
