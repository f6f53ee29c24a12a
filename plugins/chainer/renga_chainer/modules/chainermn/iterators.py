"""``chainermn.iterators``."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga import iterators
from renga_core.communicator import CommunicatorBase

__all__ = ["create_synchronized_iterator"]


def create_synchronized_iterator(actual_iterator: Any, communicator: CommunicatorBase) -> Any:
    """Synchronize the iterator's order by a random number of rank 0's ``numpy.random``, as in ChainerMN.

    Raises:
        ValueError: The iterator has no order sampler.
    """
    if not hasattr(actual_iterator, "order_sampler"):
        raise ValueError("actual_iterator must have order_sampler")
    seed = communicator.bcast_obj(np.random.randint(0, 2**32 - 1) if communicator.rank == 0 else None)
    actual_iterator.order_sampler = iterators.ShuffleOrderSampler(np.random.RandomState(seed))
    actual_iterator.reset()
    return actual_iterator
