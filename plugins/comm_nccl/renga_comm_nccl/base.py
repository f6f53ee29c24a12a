"""Common base of communicators on NCCL: the device, the stream, and all collectives except the reduction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Self

from renga_comm_base.arguments import check_arrays, check_sum
from renga_comm_nccl import watchdog
from renga_comm_nccl.calls import UINT8, nccl
from renga_comm_nccl.devices import current_device, refuse_shared_device
from renga_comm_nccl.handle import Handle
from renga_comm_nccl.hosts import host_communicator
from renga_comm_nccl.messages import Messages
from renga_comm_nccl.on_hosts import OnHosts
from renga_comm_nccl.placing import (
    DEVICE,
    Description,
    describe,
    flat_bytes,
    is_on_device,
    on_device,
    placed_like,
)
from renga_comm_nccl.stream import Lane, Queued, communication_stream, is_capturing
from renga_comm_nccl.sums import Sums
from renga_core.backend import get_device, get_device_of
from renga_core.communicator import CommunicatorBase, RankFailed

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["Collectives"]


class Collectives(OnHosts):
    """A group of processes. Devices communicate by NCCL, hosts by MPI or TCP.

    Host arrays and objects travel between hosts. NCCL connects the devices when the first device array is sent, on the
    device of that array; so a program can choose the device by `intra_rank`.

    Each collective begins with a short exchange between the hosts: ranks that call different collectives get an error,
    and no rank waits forever. Apart from that the host does not wait: the work is queued on the device.

    Args:
        mpi_comm: The group, an ``mpi4py.MPI.Comm``; every rank of it must call. None: all ranks that were started
            together (`hosts.host_communicator`).
    """

    name: ClassVar[str]
    default_config: ClassVar[Mapping[str, Any]] = {**OnHosts.default_config, "sums": "ordered"}

    def __init__(self, mpi_comm: Any = None) -> None:
        self._begin(host_communicator(mpi_comm), None, None)

    @classmethod
    def of(cls, host: CommunicatorBase) -> Self:
        """Return the communicator for the ranks of a group of hosts; it finalizes the group."""
        made = object.__new__(cls)
        made._begin(host, None, None)
        return made

    def _begin(self, host: CommunicatorBase, handle: Handle | None, device: int | None) -> None:
        """Initialize for these hosts; `handle` connects their devices, if it exists already."""
        self._host = host
        self._messages = Messages(host.split(0, host.rank))
        self._handle, self._device = handle, device
        self._number = 0
        if handle is not None:
            self._watch(handle)

    def set_config(self, name: str, value: Any = True) -> None:
        """See `CommunicatorBase`; ``sums`` is ``"ordered"`` or ``"nccl"``: see the module `sums`."""
        if name == "sums" and value not in ("ordered", "nccl"):
            raise ValueError(f"sums is {value!r}; choose from 'ordered', 'nccl'")
        super().set_config(name, value)

    def split(self, color: int, key: int) -> Self:  # noqa: D102
        host = self._host.split(color, key)
        part = object.__new__(type(self))
        handle = None
        if self._handle is not None and self._handle.nccl.has("ncclCommSplit"):
            with get_device(f"cupy:{self._device}").use():
                handle = self._handle.split(color, key, host.rank, host.size)
        part._begin(host, handle, self._device if handle is not None else None)
        return part

    def agree(self, what: str, detail: object) -> None:  # noqa: D102
        self._alive(what)
        self._host.agree(what, detail)

    def finalize(self) -> None:  # noqa: D102
        super().finalize()
        if self._handle is not None:
            watchdog.finish(self._handle)
            self._handle.close()
            self._handle = None
        self._messages.finalize()
        self._host.finalize()

    # --- the device ---------------------------------------------------------------------------------------------------

    def _alive(self, what: str) -> None:
        """Check that NCCL has not failed.

        Raises:
            RankFailed: It has failed.
        """
        if self._handle is not None and self._handle.aborted:
            raise RankFailed(f"rank {self.rank} of {self.size}: {what} is not possible: {self._handle.aborted}")

    def _connect(self, array: Any = None) -> int:
        """Connect the devices of the ranks if necessary; then it is a collective. Return this rank's handle.

        Raises:
            ValueError: An array is on another device than the first array, or two ranks use one device.
        """
        index = current_device() if array is None else get_device_of(array).index
        if self._device is None:
            refuse_shared_device(self._host, index)
            with get_device(f"cupy:{index}").use():
                self._handle = self._new_handle()
            self._device = index
            self._watch(self._handle)
        elif array is not None and index != self._device:
            raise ValueError(
                f"rank {self.rank} communicates through device cupy:{self._device}, and was given an array on "
                f"cupy:{index}. Next: get_device('cupy:{self._device}').send(array)"
            )
        return self._device

    def _new_handle(self) -> Handle:
        """Connect the devices of all ranks. Collective."""
        unique_id = self._host.bcast_obj(nccl().unique_id() if self.rank == 0 else None)
        return Handle.make(nccl(), unique_id, self.rank, self.size)

    def _watch(self, handle: Handle) -> None:
        watchdog.watch(handle, self.name)

    def _check_device(self, *arrays: Any) -> None:
        """Check that arrays are on this rank's device, before other ranks are involved."""
        for array in arrays:
            if self._device is not None and is_on_device(array):
                self._connect(array)

    @contextmanager
    def _queue(self, what: str, array: Any = None) -> Iterator[tuple[Lane, Queued]]:
        """Queue a collective on the communication stream; see `CommunicationStream.queue`."""
        index = self._connect(array)
        self._number += 1
        with get_device(f"cupy:{index}").use():
            queued = Queued(f"{what} no. {self._number} of communicator {self.name!r}", is_capturing(), index)
            watchdog.expect(self._the_handle, queued)
            with communication_stream(index).queue(queued) as lane:
                yield lane, queued

    @contextmanager
    def _now(self, what: str, array: Any = None) -> Iterator[Lane]:
        """Like `_queue`; the caller's stream waits for it."""
        with self._queue(what, array) as (lane, queued):
            yield lane
        queued.wait()

    def _sums(self, lane: Lane) -> Sums:
        return Sums(self._the_handle, lane, self.share, self.get_config("sums") == "ordered")

    @property
    def nccl_handle(self) -> Handle | None:
        """NCCL's own communicator, with further methods: `Handle.shrink`, `revoke`, `grow`, `abort`."""
        return self._handle

    # --- sums ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def _sum(self, data: Array) -> Array:
        """Return the sum of all ranks' device arrays of equal shape and dtype, in a new array."""

    @abstractmethod
    def _share_of_sum(self, data: Array) -> Array:
        """Return this rank's part of the sum, for arrays with one axis."""

    def allreduce(self, data: Array) -> Array:  # noqa: D102
        check_arrays("allreduce", data)
        if not is_on_device(data):
            return self._host.allreduce(data)
        self._check_device(data)
        self.agree("allreduce", (tuple(data.shape), str(data.dtype), DEVICE))
        check_sum("allreduce", data.dtype)
        return self._sum(data)

    def reduce_scatter(self, data: Array) -> Array:  # noqa: D102
        check_arrays("reduce_scatter", data)
        if not is_on_device(data):
            return self._host.reduce_scatter(data)
        self._check_device(data)
        self.agree("reduce_scatter", (tuple(data.shape), str(data.dtype), DEVICE))
        check_sum("reduce_scatter", data.dtype)
        if data.ndim != 1:
            raise ValueError(f"reduce_scatter takes an array with one axis, not {data.ndim}")
        return self._share_of_sum(data)

    # --- one array each -----------------------------------------------------------------------------------------------

    def bcast(self, data: Array, max_buf_len: int | None = None, root: int = 0) -> Array:  # noqa: D102
        self._check_rank("root", root)
        about: tuple[bool, Description | None] | None = None
        if self.rank == root:
            check_arrays("bcast", data)
            self._check_device(data)
            about = (True, describe(data)) if is_on_device(data) else (False, None)
        if max_buf_len is not None and max_buf_len < 1:
            raise ValueError(f"max_buf_len must be a number of bytes, 1 or more, not {max_buf_len}")
        self.agree("bcast", {"root": root, "max_buf_len": max_buf_len})
        by_nccl, description = self._host.bcast_obj(about, root=root)
        if not by_nccl:
            return self._host.bcast(data, max_buf_len, root)
        with self._now("bcast", data if is_on_device(data) else None) as lane:
            shape, dtype = description
            found = lane.empty(shape, dtype)
            if self.rank == root:
                found[...] = data
            step = max_buf_len or max(1, found.nbytes)
            memory = flat_bytes(found)
            for begin in range(0, len(memory), step):
                piece = memory[begin : begin + step]
                self._the_handle.broadcast(piece.data.ptr, len(piece), UINT8, root, lane.ptr)
        return placed_like(data, found)

    def gather(self, data: Array, root: int = 0) -> tuple[Array, ...] | None:  # noqa: D102
        self._check_rank("root", root)
        check_arrays("gather", data)
        if not is_on_device(data):
            return self._host.gather(data, root)
        self._check_device(data)
        self.agree("gather", {"root": root, "arrays": DEVICE})
        descriptions = self._host.gather_obj(describe(data), root)
        outgoing: list[Any] = [None] * self.size
        with self._now("gather", data) as lane:
            outgoing[root] = lane.keep(flat_bytes(data))
            found = [] if descriptions is None else [lane.empty(*about) for about in descriptions]
            incoming = [flat_bytes(one) for one in found] or [None] * self.size
            self._sums(lane).exchange(outgoing, incoming)
        return None if descriptions is None else tuple(found)

    def allgather(self, x: Array) -> tuple[Array, ...]:  # noqa: D102
        check_arrays("allgather", x)
        if not is_on_device(x):
            return self._host.allgather(x)
        self._check_device(x)
        self.agree("allgather", {"arrays": DEVICE})
        descriptions = self._host.allgather_obj(describe(x))
        with self._now("allgather", x) as lane:
            mine = lane.keep(flat_bytes(x))
            found = [lane.empty(*about) for about in descriptions]
            self._sums(lane).exchange([mine] * self.size, [flat_bytes(one) for one in found])
        return tuple(found)

    def alltoall(self, xs: Sequence[Array]) -> tuple[Array, ...]:  # noqa: D102
        check_arrays("alltoall", *xs)
        if not on_device("alltoall", xs):
            return self._host.alltoall(xs)
        self._check_device(*xs)
        self.agree("alltoall", {"arrays": len(xs), "where": DEVICE})
        self._check_count(len(xs))
        descriptions = self._host.allgather_obj([describe(x) for x in xs])
        with self._now("alltoall", xs[0]) as lane:
            found = [lane.empty(*each[self.rank]) for each in descriptions]
            outgoing = [lane.keep(flat_bytes(x)) for x in xs]
            self._sums(lane).exchange(outgoing, [flat_bytes(one) for one in found])
        return tuple(found)

    def scatter(self, xs: Sequence[Array], root: int = 0) -> Array:  # noqa: D102
        self._check_rank("root", root)
        about: tuple[bool, list[Description]] | None = None
        if self.rank == root:
            check_arrays("scatter", *xs)
            by_nccl = on_device("scatter", xs)
            self._check_device(*xs)
            about = by_nccl, [describe(x) for x in xs] if by_nccl else []
        self.agree("scatter", {"root": root})
        by_nccl, descriptions = self._host.bcast_obj(about, root=root)
        if not by_nccl:
            return self._host.scatter(xs, root)
        self._check_count(len(descriptions))
        own = xs[self.rank] if xs is not None and len(xs) > self.rank else None
        with self._now("scatter", own if is_on_device(own) else None) as lane:
            found = lane.empty(*descriptions[self.rank])
            outgoing = [lane.keep(flat_bytes(x)) for x in xs] if self.rank == root else [None] * self.size
            incoming: list[Any] = [None] * self.size
            incoming[root] = flat_bytes(found)
            self._sums(lane).exchange(outgoing, incoming)
        return placed_like(own, found)

    @property
    def _the_handle(self) -> Handle:
        assert self._handle is not None, "the devices are connected"
        return self._handle
