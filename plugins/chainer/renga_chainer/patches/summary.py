"""Snapshots of summaries: a count without weights is saved as an integer, which Chainer requires.

Snapshots of older versions of Chainer do not contain summaries.
"""

from __future__ import annotations

import warnings
from typing import Any

from renga_core.serializers import AbstractSerializer, Deserializer
from renga_training.summary import DictSummary, Summary

__all__ = ["ADDITIONS"]


def serialize(self: Summary, serializer: AbstractSerializer) -> None:
    """Save or load the sums."""
    if not isinstance(serializer, Deserializer):
        serializer("_x", self._x)
        serializer("_x2", self._x2)
        serializer("_n", int(self._n) if self._n == int(self._n) else self._n)
        return
    try:
        x, x2 = serializer("_x", self._x), serializer("_x2", self._x2)
        # Either type: weights may have been fractions.
        self._x, self._x2, self._n = x, x2, float(serializer("_n", None))
    except KeyError:
        warnings.warn("The previous statistics are not saved.", stacklevel=2)


_serialize_names = DictSummary.serialize


def serialize_all(self: DictSummary, serializer: AbstractSerializer) -> None:
    """Save all sums, or load them into this object."""
    try:
        _serialize_names(self, serializer)
    except KeyError:
        self._summaries.clear()
        warnings.warn("The names of statistics are not saved.", stacklevel=2)


ADDITIONS: list[tuple[type, str, Any]] = [
    (Summary, "serialize", serialize),
    (DictSummary, "serialize", serialize_all),
]
