"""Sums of which every summand travels in 16 bits.

Each rank gets one share of every other's array, adds them up in float32 (or wider) in the order of ranks, and sends the
rounded sum to all: two roundings on the way, whatever the number of ranks, where a ring of 16-bit sums has one a step.

Neither overflows and little is lost below: before rounding, all arrays are multiplied by one power of two, the largest
for which the sum is still in range whatever the signs. That costs one small exchange of each rank's largest magnitude.
bfloat16 has the range of float32 and needs none of that. What is not finite arrives, and spoils nothing beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from renga_core.backend import get_device_of, to_host

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["Exchanging", "common_scale", "half_sum", "is_half", "is_wide", "largest_finite", "narrow", "widen"]

_LARGEST = 65000.0
"""What a sum may reach: the largest float16, 65504, less what the rounding of its summands may add (1 in 2048)."""


class Exchanging(Protocol):
    """What a sum needs of a communicator; see `CommunicatorBase`."""

    @property
    def size(self) -> int:
        """Number of ranks."""

    def share(self, length: int, rank: int) -> tuple[int, int]:
        """Where a rank's share of so many elements begins and ends."""

    def alltoall(self, xs: Sequence[Array]) -> tuple[Array, ...]:
        """Give the i-th array to rank i; return what the ranks gave to this one."""

    def allgather(self, x: Array) -> tuple[Array, ...]:
        """Return the arrays of all ranks."""


def is_half(wire: str | None, dtype: Any) -> bool:
    """Whether arrays of a dtype travel in 16 bits, because that was asked for or because they have no more."""
    name = _name(dtype)
    return name == "float16" or (wire in ("float16", "bfloat16") and name in ("float32", "float64"))


def is_wide(wire: str | None, dtype: Any) -> bool:
    """Whether arrays of a dtype travel as another one of 32 or 64 bits, because that was asked for."""
    name = _name(dtype)
    return wire in ("float32", "float64") and name in ("float16", "float32", "float64") and name != wire


def half_sum(communicator: Exchanging, flat: Array, wire: str | None, divide_by: int = 1) -> Array:
    """The sum over all ranks of an array with one axis, divided by a number, in the array's dtype and on its device.

    Args:
        communicator: Between the ranks.
        flat: Floating, alike on every rank.
        wire: ``bfloat16``; anything else is ``float16``.
        divide_by: What to divide the sum by, after it has travelled.
    """
    given = to_host(flat)
    host = given.astype(np.result_type(given.dtype, np.float32), copy=False)
    size = communicator.size
    wire = "bfloat16" if wire == "bfloat16" else "float16"
    scale = _common_scale(communicator, host) if wire == "float16" else 1.0
    ends = [communicator.share(len(host), rank) for rank in range(size)]
    parts = communicator.alltoall([narrow(host[begin:end] * scale, wire) for begin, end in ends])
    total = widen(parts[0], wire, host.dtype)
    with np.errstate(invalid="ignore"):  # of infinities, as it is with those who add up without NumPy
        for part in parts[1:]:
            total += widen(part, wire, host.dtype)
    shares = communicator.allgather(narrow(total, wire))
    result = np.concatenate([widen(share, wire, host.dtype) for share in shares])
    result /= scale * divide_by
    return get_device_of(flat).send(result.astype(given.dtype, copy=False))


def _name(dtype: Any) -> str:
    """Of a dtype of any backend: ``float16``, where its own words may be ``torch.float16``."""
    return str(dtype).rpartition(".")[2]


def _common_scale(communicator: Exchanging, host: Any) -> float:
    """The same on every rank."""
    largest = max(float(x[0]) for x in communicator.allgather(np.array([largest_finite(host)])))
    return common_scale(largest, communicator.size)


def largest_finite(host: Any) -> float:
    """The largest magnitude of a host array's finite numbers; 0 if there are none."""
    largest = float(np.abs(host).max(initial=0.0))
    if not math.isfinite(largest):
        largest = float(np.abs(host[np.isfinite(host)]).max(initial=0.0))
    return largest


def common_scale(largest: float, size: int) -> float:
    """The largest power of two by which no sum over `size` ranks of numbers up to `largest` leaves float16.

    It is 2**100 at most, which float32 can hold.
    """
    if largest == 0.0:
        return 1.0
    return 2.0 ** min(math.floor(math.log2(_LARGEST / size) - math.log2(largest)), 100)


def narrow(array: Any, wire: str) -> Any:
    """A host array in 16 bits: float16, or, since NumPy has no bfloat16, its bits in uint16. Rounds to even."""
    if wire == "float16":
        return array.astype(np.float16)
    bits = array.astype(np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1)).astype(np.uint32)) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), np.uint16(0x7FC0), rounded)


def widen(array: Any, wire: str, dtype: Any) -> Any:
    """The reverse of `narrow`: a host array of a dtype that has room for it."""
    if wire == "float16":
        return array.astype(dtype)
    return (array.astype(np.uint32) << 16).view(np.float32).astype(dtype, copy=False)
