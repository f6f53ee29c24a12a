"""`DecorrelatedBatchNormalization` in files from before Chainer 7.0: one mean and projection for all groups."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from renga_core.link import Link
from renga_core.serializers import AbstractSerializer, Deserializer
from renga_nn.links.decorrelated_batch_normalization import DecorrelatedBatchNormalization
from renga_serializers.values import put

__all__ = ["ADDITIONS"]


class _ForAllGroups(Deserializer):
    """Wraps a deserializer; statistics without groups are used for each group."""

    def __init__(self, base: AbstractSerializer) -> None:
        self._base = base

    def __getitem__(self, key: str) -> AbstractSerializer:
        return self._base[key]

    def __call__(self, key: str, value: Any) -> Any:
        if key not in ("avg_mean", "avg_projection") or value is None:
            return self._base(key, value)
        stored = self._base(key, None)
        if stored is None or stored.ndim != value.ndim - 1:
            return self._base(key, value)
        if len(value) > 1:
            warnings.warn(
                "Found moving statistics of old DecorrelatedBatchNormalization, whose algorithm was different from the "
                "paper.",
                stacklevel=2,
            )
        put(np.broadcast_to(stored, value.shape).astype(value.dtype, casting="same_kind"), value)
        return value


def serialize(self: DecorrelatedBatchNormalization, serializer: AbstractSerializer) -> None:
    """Save or load the link."""
    Link.serialize(self, _ForAllGroups(serializer) if isinstance(serializer, Deserializer) else serializer)


ADDITIONS: list[tuple[type, str, Any]] = [(DecorrelatedBatchNormalization, "serialize", serialize)]
