"""Sums of host arrays over ranks, in the order of ranks, element by element, whatever the position.

MPI's own Allreduce adds in an order that depends on where in the buffer an element stands. Then gradients that travel
in other buckets would give another training.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from renga_comm_mpi.calls import Calls, as_bytes

__all__ = ["message_sum", "shares"]

SMALL = 2**14
"""Up to so many bytes of all ranks together, everybody gets everything and adds up: one exchange instead of two."""


def message_sum(calls: Calls, flat: Any, divide_by: int) -> Any:
    """Each rank gets its share of everybody's array, adds up, and sends the result to all."""
    size, rank = calls.size, calls.rank
    if size * flat.nbytes <= SMALL:
        everybody = np.empty((size, len(flat)), flat.dtype)
        calls("Allgather", as_bytes(flat), as_bytes(everybody))
        return _ordered_sum(list(everybody), divide_by, np.empty_like(flat))
    places = shares(len(flat), size)
    own = flat[places[rank]]
    parts = [own if i == rank else np.empty_like(own) for i in range(size)]
    calls.exchange(
        [None if i == rank else as_bytes(flat[place]) for i, place in enumerate(places)],
        [None if i == rank else as_bytes(part) for i, part in enumerate(parts)],
    )
    total = np.empty_like(flat)
    _ordered_sum(parts, divide_by, total[places[rank]])
    calls.exchange(
        [None if i == rank else as_bytes(total[places[rank]]) for i in range(size)],
        [None if i == rank else as_bytes(total[place]) for i, place in enumerate(places)],
    )
    return total


def shares(length: int, size: int) -> list[slice]:
    """Divide so many elements among ranks, as `CommunicatorBase.share` does."""
    ends = [0]
    for rank in range(size):
        ends.append(ends[-1] + length // size + (rank < length % size))
    return [slice(begin, end) for begin, end in pairwise(ends)]


def _ordered_sum(parts: list[Any], divide_by: int, into: Any) -> Any:
    if len(parts) == 1:
        into[...] = parts[0]
    else:
        np.add(parts[0], parts[1], out=into)
    for part in parts[2:]:
        into += part
    if divide_by != 1:
        into /= divide_by
    return into
