"""Communicators for several machines: NCCL inside a machine, and the hosts' network between machines.

They are for machines whose network NCCL does not support, or uses slowly. NCCL reduces inside a machine; the result
travels between hosts, so the host must wait for the device. Therefore they can neither be captured in a CUDA graph nor
overlap with backward. With ``allreduce_grad_dtype``, numbers travel in 16 bits between machines only.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from renga_comm_base.arguments import check_arrays
from renga_comm_base.half import half_sum, is_half, is_wide
from renga_comm_base.packing import pack, unpack
from renga_comm_nccl.handle import Handle
from renga_comm_nccl.placing import DEVICE, contiguous, on_device
from renga_comm_nccl.point_to_point import NcclCommunicator
from renga_comm_nccl.pure import PureNcclCommunicator
from renga_core.backend import get_device_of, is_floating, to_host
from renga_core.communicator import CommunicatorBase

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["NcclHierarchicalCommunicator", "NcclTwoDimensionalCommunicator"]


class _AcrossMachines(NcclCommunicator):
    """Common base: groups inside machines, and groups between machines."""

    def _begin(self, host: CommunicatorBase, handle: Handle | None, device: int | None) -> None:
        super()._begin(host, handle, device)
        self._inside = PureNcclCommunicator.of(host.split(self.inter_rank, self.rank))
        # One rank of each machine in each group.
        self._between = host.split(self.intra_rank, self.inter_rank)
        self._even = len(set(host.allgather_obj(self.intra_size))) == 1

    def set_config(self, name: str, value: Any = True) -> None:
        super().set_config(name, value)
        if name == "sums":
            self._inside.set_config(name, value)

    def finalize(self) -> None:
        self._inside.finalize()
        self._between.finalize()
        super().finalize()

    def _sum(self, data: Array) -> Array:
        return self._wide_sum(contiguous(data), None).astype(data.dtype, copy=False).reshape(data.shape)

    def _share_of_sum(self, data: Array) -> Array:
        begin, end = self.share(len(data))
        return self._sum(data)[begin:end].copy()

    def mean(self, arrays: Sequence[Array]) -> list[Array]:
        check_arrays("mean", *arrays)
        if not on_device("mean", arrays):
            return self._mean_of_host(arrays)
        self._check_device(*arrays)
        given = [(tuple(array.shape), str(array.dtype)) for array in arrays]
        self.agree("mean", [*given, DEVICE])
        self._refuse_integers(given)
        wire = self.get_config("allreduce_grad_dtype")
        means = []
        for flat in pack(arrays):
            sent = flat.astype(wire) if is_wide(wire, flat.dtype) else contiguous(flat)
            total = self._wide_sum(sent, wire)
            total /= self.size
            means.append(total.astype(flat.dtype, copy=False))
        return unpack(means, arrays)

    def _wide_sum(self, flat: Any, wire: str | None) -> Any:
        """Return the sum over all ranks in a new array; 16-bit numbers are summed in 32 bits and rounded once."""
        if is_floating(flat.dtype) and flat.dtype.itemsize == 2:
            flat = flat.astype(np.float32)
        if self.inter_size == 1:
            return self._inside.allreduce(flat)
        return self._sum_between(flat, wire)

    @abstractmethod
    def _sum_between(self, flat: Any, wire: str | None) -> Any:
        """`_wide_sum` over several machines."""

    def _add_machines(self, part: Any, wire: str | None) -> Any:
        """Return the sum over machines of this rank's array and those of one rank per machine, on the device."""
        host = to_host(part)
        if wire is not None and is_half(wire, host.dtype):
            total = half_sum(self._between, host, wire)
        else:
            total = self._between.allreduce(host)
        return get_device_of(part).send(total)

    def _by_leaders(self, flat: Any, wire: str | None) -> Any:
        """One rank of each machine reduces with the others, and gives the sum to its machine."""
        total = self._inside.allreduce(flat)
        if self.intra_rank == 0:
            total = self._add_machines(total, wire)
        return self._inside.bcast(total)


class NcclHierarchicalCommunicator(_AcrossMachines):
    """NCCL inside a machine; between machines, one rank of each machine sends.

    For machines with one network connection each, which a single rank can saturate.
    """

    name: ClassVar[str] = "nccl_hierarchical"

    def _sum_between(self, flat: Any, wire: str | None) -> Any:
        return self._by_leaders(flat, wire)


class NcclTwoDimensionalCommunicator(_AcrossMachines):
    """NCCL inside a machine; between machines, every rank sends its part.

    For networks that a single rank cannot saturate. If machines have different numbers of ranks, it works as
    `nccl_hierarchical`.
    """

    name: ClassVar[str] = "nccl_two_dimensional"

    def _sum_between(self, flat: Any, wire: str | None) -> Any:
        if not self._even:
            return self._by_leaders(flat, wire)
        part = self._add_machines(self._inside.reduce_scatter(flat), wire)
        parts = self._inside.allgather(part)
        import cupy

        return cupy.concatenate(parts)
