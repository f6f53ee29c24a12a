# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_data.iterators.dali import DaliIterator as DaliIterator
from renga_data.iterators.errors import StalledDatasetWarning as StalledDatasetWarning
from renga_data.iterators.errors import WorkerDied as WorkerDied
from renga_data.iterators.multiprocess import MultiprocessIterator as MultiprocessIterator
from renga_data.iterators.multithread import MultithreadIterator as MultithreadIterator
from renga_data.iterators.order_samplers import OrderSampler as OrderSampler
from renga_data.iterators.order_samplers import ShuffleOrderSampler as ShuffleOrderSampler
from renga_data.iterators.serial import SerialIterator as SerialIterator

__all__ = [
    "DaliIterator",
    "MultiprocessIterator",
    "MultithreadIterator",
    "OrderSampler",
    "SerialIterator",
    "ShuffleOrderSampler",
    "StalledDatasetWarning",
    "WorkerDied",
]
