"""Iterators: `renga_data.iterators`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.plugin import ITERATOR
from renga_data.iterators import (
    MultiprocessIterator,
    MultithreadIterator,
    OrderSampler,
    SerialIterator,
    ShuffleOrderSampler,
    StalledDatasetWarning,
    WorkerDied,
)

__all__ = [
    "MultiprocessIterator",
    "MultithreadIterator",
    "OrderSampler",
    "SerialIterator",
    "ShuffleOrderSampler",
    "StalledDatasetWarning",
    "WorkerDied",
]

__getattr__ = registered(ITERATOR, "renga.iterators", __all__)
