"""Sums of host arrays over ranks, in the order of ranks, element by element, whatever the position.

MPI's own Allreduce adds in an order that depends on where in the buffer an element stands. Then gradients that travel
in other buckets would give another training.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from renga_comm_mpi.calls import Calls, as_bytes
from renga_comm_mpi.conversion import narrow_into, widen_into

__all__ = ["SMALL", "everybody", "half_sum", "message_share", "message_sum", "ordered_sum", "shares"]

SMALL = 2**16
"""Up to so many bytes of all ranks together, everybody gets everything and adds up: one exchange instead of two."""


def message_sum(calls: Calls, flat: Any, divide_by: int, into: Any = None) -> Any:
    """Each rank gets its share of everybody's array, adds up, and sends the result to all.

    Args:
        calls: The ranks.
        flat: Contiguous, with one axis, alike on every rank.
        divide_by: What to divide the sum by.
        into: Where to put it: `flat` itself, or an array like it; None: a new one.
    """
    total = np.empty_like(flat) if into is None else into
    if calls.size * flat.nbytes <= SMALL:
        return ordered_sum(everybody(calls, flat), divide_by, total)
    places = shares(len(flat), calls.size)
    message_share(calls, flat, divide_by, total[places[calls.rank]])
    _spread(calls, total, places)
    return total


def message_share(calls: Calls, flat: Any, divide_by: int, into: Any) -> None:
    """The first half of `message_sum`: the sum of this rank's share alone."""
    places = shares(len(flat), calls.size)
    ordered_sum(_collect(calls, flat, places), divide_by, into)


def everybody(calls: Calls, flat: Any) -> list[Any]:
    """The arrays of all ranks, in their order."""
    found = np.empty((calls.size, len(flat)), flat.dtype)
    calls("Allgather", as_bytes(flat), as_bytes(found))
    return list(found)


def half_sum(calls: Calls, flat: Any, wire: str, scale: float, divide_by: int, into: Any = None) -> Any:
    """`message_sum` of which every summand travels in 16 bits: `renga_comm_base.half`, for large arrays.

    Args:
        calls: The ranks.
        flat: As there; of 32 bits or more.
        wire: ``float16`` or ``bfloat16``.
        scale: What numbers are multiplied by while they travel in float16, the same on all ranks: `common_scale`.
        divide_by, into: As there.
    """
    if wire != "float16":
        scale = 1.0
    places = shares(len(flat), calls.size)
    narrowed = np.empty(len(flat), np.float16 if wire == "float16" else np.uint16)
    narrow_into(flat, scale, wire, narrowed)
    parts = _collect(calls, narrowed, places)
    total, part = np.empty((2, len(parts[0])), flat.dtype)
    widen_into(parts[0], 1.0, wire, total)
    for other in parts[1:]:
        widen_into(other, 1.0, wire, part)
        ordered_sum([total, part], 1, total)
    sums = np.empty_like(narrowed)
    narrow_into(total, 1.0, wire, sums[places[calls.rank]])
    _spread(calls, sums, places)
    result = np.empty_like(flat) if into is None else into
    widen_into(sums, scale * divide_by, wire, result)
    return result


def shares(length: int, size: int) -> list[slice]:
    """Divide so many elements among ranks, as `CommunicatorBase.share` does."""
    ends = [0]
    for rank in range(size):
        ends.append(ends[-1] + length // size + (rank < length % size))
    return [slice(begin, end) for begin, end in pairwise(ends)]


def ordered_sum(parts: Sequence[Any], divide_by: int, into: Any) -> Any:
    """Add up arrays in their order, divide the sum if `divide_by` is not 1, and return `into`, where it is put.

    It may be one of them.
    """
    parts = [*parts[:2], *(part.copy() if np.may_share_memory(part, into) else part for part in parts[2:])]
    with np.errstate(invalid="ignore", over="ignore"):  # as those add up who do so without NumPy
        if len(parts) == 1:
            into[...] = parts[0]
        else:
            np.add(parts[0], parts[1], out=into)
        for part in parts[2:]:
            into += part
        if divide_by != 1:
            into /= divide_by
    return into


def _collect(calls: Calls, flat: Any, places: list[slice]) -> list[Any]:
    """This rank's share of everybody's array."""
    own = flat[places[calls.rank]]
    parts = [own if rank == calls.rank else np.empty_like(own) for rank in range(calls.size)]
    outgoing = [as_bytes(flat[place]) for place in places]
    incoming = [as_bytes(part) for part in parts]
    calls.exchange(_others(outgoing, calls.rank), _others(incoming, calls.rank))
    return parts


def _spread(calls: Calls, total: Any, places: list[slice]) -> None:
    """Send this rank's share to all, and get theirs."""
    outgoing = [as_bytes(total[places[calls.rank]])] * calls.size
    incoming = [as_bytes(total[place]) for place in places]
    calls.exchange(_others(outgoing, calls.rank), _others(incoming, calls.rank))


def _others(parts: list[Any], rank: int) -> list[Any]:
    return [None if i == rank else part for i, part in enumerate(parts)]
