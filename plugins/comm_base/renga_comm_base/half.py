"""Sums whose summands are sent in 16 bits.

Each rank receives one share of every other array, adds them in float32 (or wider) in the order of ranks, and sends the
rounded sum to all: two roundings, whatever the number of ranks. A ring of 16-bit sums would round in each step.

Nothing overflows, and little underflows: before rounding, all arrays are multiplied by the same power of two, the
largest for which the sum stays in range for any signs. This costs a small exchange of each rank's largest magnitude.
bfloat16 has the range of float32 and needs no scaling. Infinities and NaN are sent as they are, and do not affect other
elements.
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
"""The limit of a sum: the largest float16, 65504, minus the possible rounding of its summands (1 in 2048)."""


class Exchanging(Protocol):
    """The methods of a communicator that a sum needs; see `CommunicatorBase`."""

    @property
    def size(self) -> int:
        """Number of ranks."""

    def share(self, length: int, rank: int) -> tuple[int, int]:
        """The start and end of a rank's share of this many elements."""

    def alltoall(self, xs: Sequence[Array]) -> tuple[Array, ...]:
        """Send the i-th array to rank i; return the received arrays."""

    def allgather(self, x: Array) -> tuple[Array, ...]:
        """Return the arrays of all ranks."""


def is_half(wire: str | None, dtype: Any) -> bool:
    """Whether arrays of a dtype are sent in 16 bits, because of the configuration or because they have 16 bits."""
    name = _name(dtype)
    return name == "float16" or (wire in ("float16", "bfloat16") and name in ("float32", "float64"))


def is_wide(wire: str | None, dtype: Any) -> bool:
    """Whether arrays of a dtype are sent in another dtype of 32 or 64 bits, because of the configuration."""
    name = _name(dtype)
    return wire in ("float32", "float64") and name in ("float16", "float32", "float64") and name != wire


def half_sum(communicator: Exchanging, flat: Array, wire: str | None, divide_by: int = 1) -> Array:
    """The sum over all ranks of a one-dimensional array, divided by a number, in the array's dtype and on its device.

    Args:
        communicator: Between the ranks.
        flat: Floating array, of the same shape and dtype on every rank.
        wire: ``bfloat16``; anything else is ``float16``.
        divide_by: Divisor of the received sum.
    """
    given = to_host(flat)
    host = given.astype(np.result_type(given.dtype, np.float32), copy=False)
    size = communicator.size
    wire = "bfloat16" if wire == "bfloat16" else "float16"
    scale = _common_scale(communicator, host) if wire == "float16" else 1.0
    ends = [communicator.share(len(host), rank) for rank in range(size)]
    parts = communicator.alltoall([narrow(host[begin:end] * scale, wire) for begin, end in ends])
    total = widen(parts[0], wire, host.dtype)
    with np.errstate(invalid="ignore"):  # for infinities, as without NumPy
        for part in parts[1:]:
            total += widen(part, wire, host.dtype)
    shares = communicator.allgather(narrow(total, wire))
    result = np.concatenate([widen(share, wire, host.dtype) for share in shares])
    result /= scale * divide_by
    return get_device_of(flat).send(result.astype(given.dtype, copy=False))


def _name(dtype: Any) -> str:
    """The name of a dtype of any backend: ``float16``, for example, for ``torch.float16``."""
    return str(dtype).rpartition(".")[2]


def _common_scale(communicator: Exchanging, host: Any) -> float:
    """The sum; it is the same on every rank."""
    largest = max(float(x[0]) for x in communicator.allgather(np.array([largest_finite(host)])))
    return common_scale(largest, communicator.size)


def largest_finite(host: Any) -> float:
    """The largest magnitude of a host array's finite numbers; 0 if it has none."""
    largest = float(np.abs(host).max(initial=0.0))
    if not math.isfinite(largest):
        largest = float(np.abs(host[np.isfinite(host)]).max(initial=0.0))
    return largest


def common_scale(largest: float, size: int) -> float:
    """The largest power of two by which sums over `size` ranks of numbers up to `largest` fit into float16.

    At most 2**100, which fits into float32.
    """
    if largest == 0.0:
        return 1.0
    return 2.0 ** min(math.floor(math.log2(_LARGEST / size) - math.log2(largest)), 100)


def narrow(array: Any, wire: str) -> Any:
    """Convert a host array to 16 bits: float16, or the bits of bfloat16 in uint16. Rounds to even."""
    if wire == "float16":
        return array.astype(np.float16)
    bits = array.astype(np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1)).astype(np.uint32)) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), np.uint16(0x7FC0), rounded)


def widen(array: Any, wire: str, dtype: Any) -> Any:
    """The reverse of `narrow`: convert to a host array of a wider dtype."""
    if wire == "float16":
        return array.astype(dtype)
    return (array.astype(np.uint32) << 16).view(np.float32).astype(dtype, copy=False)
