"""Sums over ranks, on the device.

There are two methods; the configuration entry ``sums`` chooses.

``"ordered"`` (the default): each rank receives its part of every other rank's array, adds them in the order of ranks,
and sends the sum to all. The traffic is that of a ring. The last bits of a sum do not depend on the position of a
number in a buffer, as Renga promises for every communicator. 16-bit numbers are added in 32 bits and rounded twice, for
any number of ranks. For two ranks, and for integers, the order does not matter: then ``ncclAllReduce`` is called.

``"nccl"``: ``ncclAllReduce`` and ``ncclReduceScatter``. NVSwitch and InfiniBand switches can then add in the network,
and trees have less latency on hundreds of GPUs. A ring starts with another rank for each part of a buffer, so the last
bits of a sum depend on other data in the buffer. 16-bit sums are rounded at every hop; means multiply each summand by 1
/ size first (``ncclRedOpCreatePreMulSum``), so that they do not overflow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_comm_base.half import is_half
from renga_comm_nccl.calls import BFLOAT16, DTYPES, MAX, SUM, UINT8
from renga_comm_nccl.handle import Handle
from renga_comm_nccl.stream import Lane

__all__ = ["Sums"]

_LARGEST_EXPONENT = 15
"""float16 represents numbers below 2**16; one bit is reserved for rounding."""


class Sums:
    """Sums and means of buffers, for work queued on the communication stream.

    Args:
        handle: NCCL communicator.
        lane: Allocates results, and has the stream.
        ends: Function of a length: bounds of each rank's part.
        ordered: Whether ``sums`` is ``"ordered"``.
    """

    def __init__(self, handle: Handle, lane: Lane, ends: Any, ordered: bool) -> None:
        import cupy

        self._xp = cupy
        self._handle, self._lane, self._ends, self._ordered = handle, lane, ends, ordered
        self._size = handle.size

    def total(self, flat: Any, out: Any) -> None:
        """Fill `out` with the sum over all ranks of `flat`; both have one axis without gaps, and one dtype.

        For bool: whether any is true.
        """
        name = flat.dtype.name
        if self._size == 1 or not flat.size:
            out[...] = flat
        elif name == "bool":
            self._reduce(flat, out, UINT8, MAX)
        elif name in ("int16", "uint16"):
            wide = flat.astype(np.int32)
            self._reduce(wide, wide, DTYPES["int32"], SUM)
            out[...] = wide
        elif flat.dtype.kind == "c":
            self.total(flat.view(_part(flat)), out.view(_part(flat)))
        elif self._ordered and flat.dtype.kind not in "iu" and (self._size > 2 or flat.dtype.itemsize == 2):
            self._gather(self._share(flat).astype(flat.dtype), out)
        else:
            self._reduce(flat, out, DTYPES[name], SUM)

    def share(self, flat: Any, out: Any) -> None:
        """Fill `out` with this rank's part of the sum."""
        name = flat.dtype.name
        if self._size == 1 or not flat.size:
            out[...] = flat
        elif self._ordered or name not in DTYPES:
            out[...] = self._share(flat)
        else:
            # NCCL's parts have equal length, so each part is padded.
            ends = [self._ends(len(flat), rank) for rank in range(self._size)]
            longest = ends[0][1] - ends[0][0]
            padded = self._xp.zeros((self._size, longest), flat.dtype)
            for row, (begin, end) in zip(padded, ends, strict=True):
                row[: end - begin] = flat[begin:end]
            mine = self._xp.empty(longest, flat.dtype)
            self._handle.reduce_scatter(padded.data.ptr, mine.data.ptr, longest, DTYPES[name], SUM, self._lane.ptr)
            out[...] = mine[: len(out)]

    def mean(self, flat: Any, out: Any, wire: str | None) -> None:
        """Fill `out` with the mean over all ranks of `flat`, floating-point or complex.

        Args:
            flat: One axis without gaps.
            out: Same shape and dtype.
            wire: ``float16`` or ``bfloat16``: dtype in which 32 or 64 bits travel; None: unchanged.
        """
        if self._size == 1 or not flat.size:
            out[...] = flat
        elif is_half(wire, flat.dtype) or flat.dtype.name == "bfloat16":
            self._mean_of_halves(flat, out, "bfloat16" if "bfloat16" in (wire, flat.dtype.name) else "float16")
        else:
            self.total(flat, out)
            out /= self._size

    def _mean_of_halves(self, flat: Any, out: Any, wire: str) -> None:
        xp, size = self._xp, self._size
        wide = flat.astype(np.float64 if flat.dtype == np.float64 else np.float32)
        # If NCCL adds, a mean divides the summands first, so no sum exceeds the largest number.
        scale = self._scale(wide, size if self._ordered else 1) if wire == "float16" else None
        if scale is not None:
            wide *= scale
        halves = _narrow(wide, wire)
        if self._ordered:
            total = self._share_of_halves(halves, wire, wide.dtype)
            found = xp.empty_like(halves)
            self._gather(_narrow(total, wire), found)
            mean = _widen(found, wire, wide.dtype)
            mean /= size
        else:
            dtype = BFLOAT16 if wire == "bfloat16" else DTYPES[wire]
            self._reduce(halves, halves, dtype, self._handle.average(dtype, wire))
            mean = _widen(halves, wire, wide.dtype)
        if scale is not None:
            mean /= scale
        out[...] = mean

    def _scale(self, wide: Any, summands: int) -> Any:
        """Power of two, the same on all ranks, that keeps sums of this many numbers within float16; one element.

        The device computes it: the host does not wait. It is 2**100 at most, which float32 represents.
        """
        xp = self._xp
        finite = xp.where(xp.isfinite(wide), xp.abs(wide), 0)
        largest = finite.max(keepdims=True)
        self._reduce(largest, largest, DTYPES[largest.dtype.name], MAX)
        _, exponent = xp.frexp(largest)  # largest < 2**exponent
        room = _LARGEST_EXPONENT - (summands - 1).bit_length()
        found = xp.ldexp(xp.ones_like(largest), xp.minimum(room - exponent, 100))
        return xp.where(largest == 0, 1, found).astype(wide.dtype)

    # --- shares -------------------------------------------------------------------------------------------------------

    def _share(self, flat: Any) -> Any:
        """Return this rank's part of the sum, in the order of ranks; for 16 bits in 32, to be rounded by the caller."""
        parts = self._exchange(flat)
        if flat.dtype.kind == "b":
            total = parts[0].copy()
            for part in parts[1:]:
                total |= part
            return total
        half = flat.dtype.name in ("float16", "bfloat16")
        total = parts[0].astype(np.float32 if half else flat.dtype)
        for part in parts[1:]:
            total += part
        return total

    def _share_of_halves(self, halves: Any, wire: str, dtype: Any) -> Any:
        parts = self._exchange(halves)
        total = _widen(parts[0], wire, dtype)
        for part in parts[1:]:
            total += _widen(part, wire, dtype)
        return total

    def _exchange(self, flat: Any) -> Any:
        """Return this rank's part of each rank's array: one row per rank."""
        ends = [self._ends(len(flat), rank) for rank in range(self._size)]
        begin, end = ends[self._handle.rank]
        parts = self._xp.empty((self._size, end - begin), flat.dtype)
        self.exchange([flat[slice(*place)] for place in ends], list(parts))
        return parts

    def _gather(self, mine: Any, out: Any) -> None:
        """Fill `out` with the parts of all ranks."""
        ends = [self._ends(len(out), rank) for rank in range(self._size)]
        if len(out) % self._size == 0:
            self._handle.all_gather(mine.data.ptr, out.data.ptr, mine.nbytes, UINT8, self._lane.ptr)
        else:
            self.exchange([mine] * self._size, [out[slice(*place)] for place in ends])
        self._lane.keep(mine)

    def exchange(self, outgoing: Sequence[Any], incoming: Sequence[Any]) -> None:
        """Send an array to each rank and receive one from each, without gaps; None or empty: nothing."""
        handle, stream = self._handle, self._lane.ptr
        with handle.group():
            for rank, (given, taken) in enumerate(zip(outgoing, incoming, strict=True)):
                if given is not None and given.nbytes:
                    handle.send(self._lane.keep(given).data.ptr, given.nbytes, UINT8, rank, stream)
                if taken is not None and taken.nbytes:
                    handle.recv(taken.data.ptr, taken.nbytes, UINT8, rank, stream)

    def _reduce(self, send: Any, recv: Any, dtype: int, op: int) -> None:
        self._handle.all_reduce(send.data.ptr, recv.data.ptr, send.size, dtype, op, self._lane.ptr)


def _part(array: Any) -> Any:
    """Dtype of the real part of a complex dtype."""
    return np.float32 if array.dtype == np.complex64 else np.float64


def _narrow(wide: Any, wire: str) -> Any:
    """Convert to 16 bits: float16, or the bits of bfloat16 in uint16. Rounds to even."""
    import cupy

    if wire == "float16":
        return wide.astype(np.float16)
    bits = wide.astype(np.float32).view(np.uint32)
    bits = (bits + (((bits >> 16) & 1) + 0x7FFF)) >> 16
    return cupy.where(cupy.isnan(wide), 0x7FC0, bits).astype(np.uint16)


def _widen(halves: Any, wire: str, dtype: Any) -> Any:
    """The reverse of `_narrow`."""
    if wire == "float16":
        return halves.astype(dtype)
    return (halves.astype(np.uint32) << 16).view(np.float32).astype(dtype)
