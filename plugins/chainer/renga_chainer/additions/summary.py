"""`Summary` in snapshots: a number of values that were all counted once is an integer, or Chainer does not read it."""

from __future__ import annotations

from typing import Any

from renga_core.reporter import Summary
from renga_core.serializers import AbstractSerializer, Deserializer

__all__ = ["ADDITIONS"]


def serialize(self: Summary, serializer: AbstractSerializer) -> None:
    """Save the sums, or load them."""
    self._x = serializer("_x", self._x)
    self._x2 = serializer("_x2", self._x2)
    if isinstance(serializer, Deserializer):
        # Of either type: weights may have been fractions.
        self._n = float(serializer("_n", None))
    else:
        serializer("_n", int(self._n) if self._n == int(self._n) else self._n)


ADDITIONS: list[tuple[type, str, Any]] = [(Summary, "serialize", serialize)]
