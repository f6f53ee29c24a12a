"""Iterators over data sets. All three give the same batches in the same order for the same seed.

- `serial`: `SerialIterator`, the one to begin with.
- `multithread`, `multiprocess`: examples are made ahead of time by threads or processes.
- `order_samplers`: `OrderSampler`, `ShuffleOrderSampler`: in which order the examples of an epoch come.
- `ordered`: what all iterators here share: which examples come next, epochs, saving and resuming.
- `prefetching`: what the two that work ahead share.
- `worker`, `process_pool`, `shared_memory`: what runs in the processes of `MultiprocessIterator`, a pool of them that
  sees one die, and how arrays get from them. `thread_pool`: that of `MultithreadIterator`.
- `interruptible_wait`: waiting for both, until Ctrl-C at most.
- `semaphores`: those of its queues, which have no name.
- `dali`: `DaliIterator`, which is not there, and says what is.
- `errors`: `WorkerDied`, `StalledDatasetWarning`.
"""

from renga_data.iterators.dali import DaliIterator
from renga_data.iterators.errors import StalledDatasetWarning, WorkerDied
from renga_data.iterators.multiprocess import MultiprocessIterator
from renga_data.iterators.multithread import MultithreadIterator
from renga_data.iterators.order_samplers import OrderSampler, ShuffleOrderSampler
from renga_data.iterators.serial import SerialIterator

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
