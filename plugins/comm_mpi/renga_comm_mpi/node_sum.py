"""Sums over the ranks of one machine, through memory that they share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from renga_comm_mpi.calls import Calls
from renga_comm_mpi.shared_memory import share_memory
from renga_comm_mpi.sums import ordered_sum

__all__ = ["CHUNK", "NodeSum"]

CHUNK = 2**21
"""Bytes of an array in shared memory at a time: small enough to stay in the processors' caches, large enough that
synchronizing after each chunk costs little."""


class NodeSum:
    """Sums over the ranks of one machine.

    An array is cut into `lanes` segments. Rank i sums segment i, uses the sum, then gives it to all. While a chunk is
    summed, the next is copied into shared memory, so ranks synchronize once per chunk.

    Args:
        calls: The calls of the ranks. If they cannot share memory, `usable` is False.
        lanes: Number of ranks that sum (the first ones).
    """

    def __init__(self, calls: Calls, lanes: int) -> None:
        self._calls = calls
        self._lanes = lanes
        memory = share_memory(calls, 2 * calls.size * CHUNK)
        self.usable = memory is not None
        if memory is not None:
            self._given = memory.reshape(2, calls.size, CHUNK)  # alternating half, rank, byte
            self._sums = self._given[:, 0]  # the same memory, used at another time

    def reduce(self, flat: Any, total: Any, segments: list[slice], divide_by: int = 1) -> None:
        """Put the sum of this rank's segment of all ranks' `flat` into `total`."""
        rank, size = self._calls.rank, self._calls.size
        given = self._cells(self._given, flat.dtype)
        for turn, now, before in self._turns(segments, given.shape[-1]):
            for lane, part in enumerate(now):
                if lane != rank:
                    given[turn, rank, lane, : part.stop - part.start] = flat[part]
            if rank < len(before):
                part = before[rank]
                others = given[1 - turn, :, rank, : part.stop - part.start]
                ordered_sum([flat[part] if i == rank else others[i] for i in range(size)], divide_by, total[part])
            self._calls("Barrier")

    def spread(self, total: Any, segments: list[slice]) -> None:
        """Send this rank's segment of `total` to all, and receive theirs."""
        rank = self._calls.rank
        sums = self._cells(self._sums, total.dtype)
        for turn, now, before in self._turns(segments, sums.shape[-1]):
            if rank < len(now):
                sums[turn, rank, : now[rank].stop - now[rank].start] = total[now[rank]]
            for lane, part in enumerate(before):
                if lane != rank:
                    total[part] = sums[1 - turn, lane, : part.stop - part.start]
            self._calls("Barrier")

    def _cells(self, memory: Any, dtype: Any) -> Any:
        """Return shared memory with a place for each lane's part of a chunk."""
        length = CHUNK // (self._lanes * dtype.itemsize)
        return (
            memory[..., : self._lanes * length * dtype.itemsize]
            .view(dtype)
            .reshape(*memory.shape[:-1], self._lanes, length)
        )

    @staticmethod
    def _turns(segments: list[slice], step: int) -> Iterator[tuple[int, list[slice], list[slice]]]:
        """For each chunk, and once more: 0 or 1 by turns, this chunk's part of each segment, the parts of the last."""
        before: list[slice] = []
        count = -(-max(segment.stop - segment.start for segment in segments) // step)
        for i in range(count + 1):
            now = []
            if i < count:
                for segment in segments:
                    begin = min(segment.start + i * step, segment.stop)
                    now.append(slice(begin, min(begin + step, segment.stop)))
            yield i % 2, now, before
            before = now
