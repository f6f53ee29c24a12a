"""The communicator `pure_nccl`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from renga_comm_base.arguments import check_arrays
from renga_comm_base.background import Done
from renga_comm_base.half import is_wide
from renga_comm_base.packing import pack, unpack
from renga_comm_nccl.placing import DEVICE, contiguous, on_device
from renga_comm_nccl.point_to_point import NcclCommunicator
from renga_comm_nccl.stream import Queued
from renga_core.communicator import Request

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["PureNcclCommunicator"]


class PureNcclCommunicator(NcclCommunicator):
    """NCCL between all ranks, on one machine or on several that NCCL can connect."""

    name: ClassVar[str] = "pure_nccl"
    overlaps: ClassVar[bool] = True

    def _sum(self, data: Array) -> Array:
        with self._now("allreduce", data) as lane:
            total = lane.empty(tuple(data.shape), data.dtype)
            self._sums(lane).total(lane.keep(contiguous(data)), total.reshape(-1))
        return total

    def _share_of_sum(self, data: Array) -> Array:
        begin, end = self.share(len(data))
        with self._now("reduce_scatter", data) as lane:
            part = lane.empty(end - begin, data.dtype)
            self._sums(lane).share(lane.keep(contiguous(data)), part)
        return part

    def mean(self, arrays: Sequence[Array]) -> list[Array]:  # noqa: D102
        check_arrays("mean", *arrays)
        if not on_device("mean", arrays):
            return self._mean_of_host(arrays)
        return self._begin_mean("mean", arrays).wait()

    def imean(self, arrays: Sequence[Array]) -> Request:
        """See `CommunicatorBase`. The means are queued on the communication stream; no thread is needed.

        `Request.wait` makes the caller's stream wait for them; the host continues.
        """
        check_arrays("imean", *arrays)
        if not on_device("imean", arrays):
            return Done(self._mean_of_host(arrays))
        return self._begin_mean("imean", arrays)

    def _begin_mean(self, what: str, arrays: Sequence[Array]) -> _Mean:
        self._check_device(*arrays)
        given = [(tuple(array.shape), str(array.dtype)) for array in arrays]
        self.agree(what, [*given, DEVICE])
        self._refuse_integers(given)
        wire = self.get_config("allreduce_grad_dtype")
        with self._queue(what, arrays[0]) as (lane, queued):
            means, sums = [], self._sums(lane)
            for flat in pack([lane.keep(array) for array in arrays]):
                mean = lane.empty(flat.shape, flat.dtype)
                if is_wide(wire, flat.dtype):
                    wide = flat.astype(wire)
                    sums.mean(wide, wide_mean := lane.empty(flat.shape, wire), wire)
                    mean[...] = wide_mean
                else:
                    sums.mean(lane.keep(contiguous(flat)), mean, wire)
                means.append(mean)
        return _Mean(queued, unpack(means, arrays))


class _Mean(Request):
    """Queued means. It keeps the arrays that they need until `wait`, or until the device has finished."""

    def __init__(self, queued: Queued, means: list[Array]) -> None:
        self._queued, self._means = queued, means
        self._waited = False

    def test(self) -> bool:
        return self._waited or self._queued.ended()

    def wait(self) -> list[Array]:
        if not self._waited:
            self._waited = True
            self._queued.wait()
        return self._means
