"""Iterators over data sets. All three yield the same batches in the same order for the same seed.

- `serial`: `SerialIterator`, the simplest.
- `multithread`, `multiprocess`: threads or processes make examples ahead of time.
- `order_samplers`: `OrderSampler`, `ShuffleOrderSampler`: the order of examples in an epoch.
- `ordered`: the base of all iterators here: the next examples, epochs, saving and resuming.
- `prefetching`: the base of the two that work ahead.
- `worker`, `process_pool`, `shared_memory`: the processes of `MultiprocessIterator`, a pool that notices when one dies,
  and the transfer of arrays. `thread_pool`: the pool of `MultithreadIterator`.
- `interruptible_wait`: waiting for workers, until Ctrl-C at the latest.
- `semaphores`: unnamed semaphores for queues.
- `dali`: `DaliIterator`, which is not supported, and says what to use instead.
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
