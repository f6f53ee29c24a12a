"""The base class of communicators on MPI: everything except how they sum."""

from __future__ import annotations

import pickle
import warnings
from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from renga_comm_base import Communicator
from renga_comm_base.arguments import check_arrays, check_sum
from renga_comm_base.half import common_scale, is_half, is_wide
from renga_comm_base.packing import pack, unpack
from renga_comm_mpi import watchdog
from renga_comm_mpi.agreement import Agreement
from renga_comm_mpi.calls import PIECE, Calls, as_bytes
from renga_comm_mpi.conversion import largest_magnitude
from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.nodes import find_placement, node_of_this_process
from renga_comm_mpi.point_to_point import PointToPoint
from renga_comm_mpi.resilient.told import refuse_dormant
from renga_core.backend import default_device, get_device, get_device_of, in_native_order, is_floating, to_host
from renga_core.communicator import Request

if TYPE_CHECKING:
    from renga_core.backend import Array, Device

__all__ = ["MpiCommunicator"]


class MpiCommunicator(Communicator):
    """A group of processes that communicate by MPI. A process started without ``mpiexec`` is a group of one.

    Arrays are sent as bytes, for any dtype and size; arrays on other devices are copied through the host. Subclasses
    define how sums are computed: always in the order of ranks (or nodes), element by element, so that a sum does not
    depend on other data sent with it.

    Args:
        mpi_comm: The group, an ``mpi4py.MPI.Comm``; all its ranks must call. None: all processes, ``MPI.COMM_WORLD``.
        patient: Wait for other ranks without using the processor, as a thread beside a computing one should. Each wait
            then takes up to half a millisecond longer.

    Raises:
        RengaError: Some processes have not started the program (``renga launch --respawn``).

    Attributes:
        name: Its registered name.
        mpi_comm: A duplicate of the group, which keeps these messages apart from the program's own.
    """

    name: ClassVar[str]
    overlaps: ClassVar[bool] = MPI.Query_thread() == MPI.THREAD_MULTIPLE
    _told: ClassVar[bool] = False

    def __init__(self, mpi_comm: MPI.Comm | None = None, *, patient: bool = False) -> None:
        if mpi_comm is None:
            mpi_comm = MPI.COMM_WORLD
            refuse_dormant(self.name, mpi_comm.size)
        # Comes first, to notice ranks that never create their communicator.
        self._group = watchdog.register(mpi_comm, self.name, serves_program=not patient)
        with self._making():
            own = mpi_comm.Dup()
            self._connect(own, own.Dup(), patient)

    def _connect(self, mpi_comm: MPI.Comm, for_collectives: MPI.Comm, patient: bool) -> None:
        """Use these communicators, which belong to this object; `_group` defines the ranks.

        MPI keeps messages and collectives apart; collectives made of messages need a group of their own.
        """
        self.mpi_comm = mpi_comm
        self._calls = Calls(for_collectives, patient)
        self._point_to_point = PointToPoint(self.mpi_comm, self._group, patient)
        nodes = self._calls.allgather_messages(node_of_this_process().encode())
        self._to_myself: dict[int, deque[Any]] = {}
        self._agreement = Agreement(self._calls, serves_program=not patient)
        self._placement = find_placement(nodes, self.rank)
        self._calls.crosses = self.inter_size > 1
        self._rounds = True  # whether the option to send 16 bits has any effect

    @property
    def rank(self) -> int:  # noqa: D102
        return self._calls.rank

    @property
    def size(self) -> int:  # noqa: D102
        return self._calls.size

    @property
    def intra_rank(self) -> int:  # noqa: D102
        return self._placement.intra_rank

    @property
    def intra_size(self) -> int:  # noqa: D102
        return self._placement.intra_size

    @property
    def inter_rank(self) -> int:  # noqa: D102
        return self._placement.inter_rank

    @property
    def inter_size(self) -> int:  # noqa: D102
        return self._placement.inter_size

    def split(self, color: int, key: int) -> MpiCommunicator:  # noqa: D102
        with self._waiting("split"):
            self.agree("split", None)
            part = self.mpi_comm.Split(color, key)
            try:
                return type(self)(part)
            finally:
                part.Free()

    def agree(self, what: str, detail: object) -> None:  # noqa: D102
        self._agree(what, detail)

    def _agree(self, what: str, detail: object, number: float = 0.0) -> float:
        """Call `agree`, and return the largest of the ranks' nonnegative numbers."""
        with self._waiting(what):
            return self._agreement(what, detail, number)

    # --- between two ranks --------------------------------------------------------------------------------------------

    def send(self, data: Array | tuple[Array, ...], dest: int, tag: int) -> None:  # noqa: D102
        arrays = data if isinstance(data, (tuple, list)) else (data,)
        check_arrays("send", *arrays)
        hosts = [_contiguous(array) for array in arrays]
        header = (
            "arrays",
            isinstance(data, (tuple, list)),
            [_describe(*pair) for pair in zip(hosts, arrays, strict=True)],
        )
        if self._is_myself("dest", dest):
            self._to_myself.setdefault(tag, deque()).append((header, [host.copy() for host in hosts]))
            return
        with self._waiting("send", dest):
            self._point_to_point.send_message(pickle.dumps(header), dest, tag)
            for host in hosts:
                self._point_to_point.send(as_bytes(host), dest, tag)

    def recv(self, source: int, tag: int) -> Any:
        """Wait for the array or tuple of arrays that rank `source` sends with this tag, and return it.

        The result is on the current device, or on the first device of the sent array's library if the libraries differ.

        Raises:
            RankFailed: Rank `source` has ended its program.
            TypeError: The sender sent an object.
        """
        if self._is_myself("source", source):
            header, hosts = self._from_myself("arrays", tag)
        else:
            with self._waiting("recv", source):
                header = self._open("arrays", self._point_to_point.recv_message(source, tag), source, tag)
                hosts = [_empty(description) for description in header[2]]
                for host in hosts:
                    self._point_to_point.recv(as_bytes(host), source, tag)
        arrays = tuple(_device(None, about).send(host) for host, about in zip(hosts, header[2], strict=True))
        return arrays if header[1] else arrays[0]

    def send_obj(self, obj: Any, dest: int, tag: int = 0) -> None:  # noqa: D102
        if self._is_myself("dest", dest):
            self._to_myself.setdefault(tag, deque()).append((("object", pickle.loads(pickle.dumps(obj))), None))
            return
        with self._waiting("send_obj", dest):
            self._point_to_point.send_message(pickle.dumps(("object", obj)), dest, tag)

    def recv_obj(self, source: int, tag: int = 0) -> Any:
        """Wait for the object that rank `source` sends with this tag, and return it.

        Raises:
            RankFailed: Rank `source` has ended its program.
            TypeError: The sender sent an array.
        """
        if self._is_myself("source", source):
            return self._from_myself("object", tag)[0][1]
        with self._waiting("recv_obj", source):
            return self._open("object", self._point_to_point.recv_message(source, tag), source, tag)[1]

    def _is_myself(self, name: str, rank: int) -> bool:
        self._check_rank(name, rank)
        return rank == self.rank

    def _from_myself(self, kind: str, tag: int) -> Any:
        if not self._to_myself.get(tag):
            raise RuntimeError(f"rank {self.rank} waits for a message from itself with tag {tag}, but has sent none")
        found = self._to_myself[tag].popleft()
        self._check_kind(kind, found[0][0], self.rank, tag)
        return found

    def _open(self, kind: str, message: bytes, source: int, tag: int) -> Any:
        header = pickle.loads(message)
        self._check_kind(kind, header[0], source, tag)
        return header

    def _check_kind(self, expected: str, found: str, source: int, tag: int) -> None:
        if found != expected:
            name = {"object": "recv_obj", "arrays": "recv"}[found]
            raise TypeError(f"rank {source} sent {found} with tag {tag}: receive it by {name}")

    def _check_rank(self, name: str, rank: int) -> None:
        if not 0 <= rank < self.size:
            raise ValueError(f"{name} is {rank}; ranks go from 0 to {self.size - 1}")

    # --- collectives of arrays ----------------------------------------------------------------------------------------

    def bcast(self, data: Array, max_buf_len: int | None = None, root: int = 0) -> Array:  # noqa: D102
        self._check_rank("root", root)
        if self.rank == root:
            check_arrays("bcast", data)
        with self._waiting("bcast"):
            limit = _limit(max_buf_len)
            self.agree("bcast", {"root": root, "max_buf_len": max_buf_len})
            if self.rank == root:
                host = _contiguous(data)
                self._calls.bcast_message(pickle.dumps(_describe(host, data)), root)
                self._calls.bcast(as_bytes(host), root, limit)
                return data.copy() if host is data else get_device_of(data).send(host.copy())
            description = pickle.loads(self._calls.bcast_message(b"", root))
            host = _empty(description)
            self._calls.bcast(as_bytes(host), root, limit)
            return _device(data, description).send(host)

    def gather(self, data: Array, root: int = 0) -> tuple[Array, ...] | None:  # noqa: D102
        self._check_rank("root", root)
        check_arrays("gather", data)
        with self._waiting("gather"):
            self.agree("gather", {"root": root})
            host = _contiguous(data)
            headers = self._calls.gather_messages(pickle.dumps(_describe(host, data)), root)
            outgoing: list[Any] = [None] * self.size
            outgoing[root] = as_bytes(host)
            if headers is None:
                self._calls.exchange(outgoing, [None] * self.size)
                return None
            hosts = [_empty(pickle.loads(header)) for header in headers]
            self._calls.exchange(outgoing, [as_bytes(one) for one in hosts])
        return tuple(get_device_of(data).send(one) for one in hosts)

    def allgather(self, x: Array) -> tuple[Array, ...]:  # noqa: D102
        check_arrays("allgather", x)
        with self._waiting("allgather"):
            self.agree("allgather", None)
            host = _contiguous(x)
            headers = self._calls.allgather_messages(pickle.dumps(_describe(host, x)))
            hosts = [_empty(pickle.loads(header)) for header in headers]
            self._calls.exchange([as_bytes(host)] * self.size, [as_bytes(one) for one in hosts])
        return tuple(get_device_of(x).send(one) for one in hosts)

    def alltoall(self, xs: Sequence[Array]) -> tuple[Array, ...]:  # noqa: D102
        check_arrays("alltoall", *xs)
        with self._waiting("alltoall"):
            self.agree("alltoall", {"arrays": len(xs)})
            self._check_count(len(xs))
            hosts = [_contiguous(x) for x in xs]
            headers = self._calls.allgather_messages(
                pickle.dumps([_describe(*pair) for pair in zip(hosts, xs, strict=True)])
            )
            found = [_empty(pickle.loads(header)[self.rank]) for header in headers]
            self._calls.exchange([as_bytes(one) for one in hosts], [as_bytes(one) for one in found])
        return tuple(get_device_of(x).send(one) for x, one in zip(xs, found, strict=True))

    def scatter(self, xs: Sequence[Array], root: int = 0) -> Array:  # noqa: D102
        self._check_rank("root", root)
        if self.rank == root:
            check_arrays("scatter", *xs)
        with self._waiting("scatter"):
            self.agree("scatter", {"root": root})
            outgoing: list[Any] = [None] * self.size
            incoming: list[Any] = [None] * self.size
            message = b""
            if self.rank == root:
                hosts = [_contiguous(x) for x in xs]
                message = pickle.dumps([_describe(*pair) for pair in zip(hosts, xs, strict=True)])
                if len(hosts) == self.size:
                    outgoing = [as_bytes(host) for host in hosts]
            headers = pickle.loads(self._calls.bcast_message(message, root))
            self._check_count(len(headers))  # on every rank, since all know it now
            found = _empty(headers[self.rank])
            incoming[root] = as_bytes(found)
            self._calls.exchange(outgoing, incoming)
        own = xs[self.rank] if xs is not None and len(xs) > self.rank else None
        return _device(own, headers[self.rank]).send(found)

    def allreduce(self, data: Array) -> Array:  # noqa: D102
        check_arrays("allreduce", data)
        data = in_native_order(data)
        with self._waiting("allreduce"):
            self.agree("allreduce", (tuple(data.shape), str(data.dtype)))
            check_sum("allreduce", data.dtype)
            host = _contiguous(data)
            total = self._sum(_widened(host.reshape(-1)), 1)
        return get_device_of(data).send(total.astype(host.dtype, copy=False).reshape(host.shape))

    def mean(self, arrays: Sequence[Array]) -> list[Array]:  # noqa: D102
        return self._mean(arrays, donated=False)

    def mean_of_donated(self, arrays: Sequence[Array]) -> list[Array]:  # noqa: D102
        return self._mean(arrays, donated=True)

    def _mean(self, arrays: Sequence[Array], donated: bool) -> list[Array]:
        check_arrays("mean", *arrays)
        arrays = [in_native_order(array) for array in arrays]
        wire = self.get_config("allreduce_grad_dtype")
        with self._waiting("mean"):
            # The largest magnitude of all ranks, needed for float16, is sent along with the check of `agree`.
            halves = [array for array in arrays if self._rounds and _half_wire(wire, array.dtype) == "float16"]
            alike = [(tuple(array.shape), str(array.dtype)) for array in arrays]
            largest = self._agree("mean", alike, max(map(_largest_magnitude, halves), default=0.0))
            self._refuse_integers(alike)
            if self.size == 1:
                return [array.copy() for array in arrays]
            scale = common_scale(largest, self.size)
            means = []
            for flat in pack(arrays):
                host = _contiguous(flat)
                half = _half_wire(wire, flat.dtype)
                wide = host.astype(wire) if is_wide(wire, flat.dtype) else _widened(host) if half else host
                # New memory of 100 MB takes as much time as the sum, because the system fills it with zeros.
                copied = wide is not host or all(flat.size != array.size for array in arrays)
                into = wide if (donated or copied) and wide.flags.writeable else None
                total = self._sum(wide, self.size, half, scale, into)
                means.append(get_device_of(flat).send(total.astype(host.dtype, copy=False)))
        return unpack(means, arrays)

    def reduce_scatter(self, data: Array) -> Array:  # noqa: D102
        check_arrays("reduce_scatter", data)
        data = in_native_order(data)
        with self._waiting("reduce_scatter"):
            self.agree("reduce_scatter", (tuple(data.shape), str(data.dtype)))
            check_sum("reduce_scatter", data.dtype)
            if data.ndim != 1:
                raise ValueError(f"reduce_scatter takes an array with one axis, not {data.ndim}")
            host = _contiguous(data)
            part = self._share_of_sum(_widened(host))
        return get_device_of(data).send(part.astype(host.dtype, copy=False))

    @abstractmethod
    def _sum(self, flat: Any, divide_by: int, wire: str | None = None, scale: float = 1.0, into: Any = None) -> Any:
        """Sum a contiguous host array with one axis over all ranks. Shapes and dtypes have been checked.

        Args:
            flat: The array.
            divide_by: The divisor of the sum.
            wire: ``float16`` or ``bfloat16``, the format of numbers sent between machines; None: unchanged.
            scale: The factor of numbers sent as float16; it keeps sums over ranks in range.
            into: The array for the result: `flat` itself, or one like it; None: a new array.

        Returns:
            `into`, or the new array.
        """

    def _share_of_sum(self, flat: Any) -> Any:
        """Compute this rank's share of `_sum`."""
        begin, end = self.share(len(flat))
        return self._sum(flat, 1)[begin:end].copy()

    def _check_count(self, count: int) -> None:
        if count != self.size:
            raise ValueError(f"{count} arrays were given for {self.size} ranks; one for each is needed")

    # --- collectives of objects ---------------------------------------------------------------------------------------

    def bcast_obj(self, obj: Any, max_buf_len: int | None = None, root: int = 0) -> Any:  # noqa: D102
        self._check_rank("root", root)
        with self._waiting("bcast_obj"):
            limit = _limit(max_buf_len)
            self.agree("bcast_obj", {"root": root, "max_buf_len": max_buf_len})
            message = pickle.dumps(obj) if self.rank == root else b""
            return pickle.loads(self._calls.bcast_message(message, root, limit))

    def gather_obj(self, obj: Any, root: int = 0) -> list[Any] | None:  # noqa: D102
        self._check_rank("root", root)
        with self._waiting("gather_obj"):
            self.agree("gather_obj", {"root": root})
            messages = self._calls.gather_messages(pickle.dumps(obj), root)
        return None if messages is None else [pickle.loads(message) for message in messages]

    def allgather_obj(self, obj: Any) -> list[Any]:  # noqa: D102
        with self._waiting("allgather_obj"):
            self.agree("allgather_obj", None)
            return [pickle.loads(message) for message in self._calls.allgather_messages(pickle.dumps(obj))]

    def allreduce_obj(self, obj: Any) -> Any:  # noqa: D102
        with self._waiting("allreduce_obj"):
            self.agree("allreduce_obj", None)
            first, *others = [pickle.loads(one) for one in self._calls.allgather_messages(pickle.dumps(obj))]
        for other in others:
            first = first + other
        return first

    def barrier(self) -> None:  # noqa: D102
        self.agree("barrier", None)  # no rank leaves it before all have entered

    # --- the rest -----------------------------------------------------------------------------------------------------

    def duplicate(self) -> MpiCommunicator:  # noqa: D102
        return type(self)(self.mpi_comm, patient=True)

    def imean(self, arrays: Sequence[Array]) -> Request:  # noqa: D102
        if not self.overlaps and self.size > 1 and not MpiCommunicator._told:
            MpiCommunicator._told = True
            warnings.warn(
                "MPI was initialised without support for threads, so nothing is communicated in the background. "
                "Next: leave mpi4py.rc.thread_level at 'multiple', and use an MPI library built with threads",
                stacklevel=2,
            )
        return super().imean(arrays)

    def finalize(self) -> None:  # noqa: D102
        super().finalize()
        if self._calls.comm != MPI.COMM_NULL and not MPI.Is_finalized():
            self._agreement.finalize()
            self._calls.comm.Free()
            self.mpi_comm.Free()

    def _making(self) -> AbstractContextManager[None]:
        """A context for waits while the communicator is created."""
        return watchdog.making(self._group)

    def _waiting(self, what: str, peer: int | None = None) -> AbstractContextManager[None]:
        """A context for waits for one rank or all ranks."""
        return watchdog.waiting(what, self._group, peer)


def _limit(max_buf_len: int | None) -> int:
    """Return the largest size of a message in bytes."""
    if max_buf_len is not None and max_buf_len < 1:
        raise ValueError(f"max_buf_len must be a number of bytes, 1 or more, not {max_buf_len}")
    return PIECE if max_buf_len is None else min(max_buf_len, PIECE)


def _contiguous(array: Any) -> Any:
    """Return an array of any backend as a contiguous host array, without a copy if it is one already.

    Raises:
        TypeError: The array holds objects.
    """
    host = to_host(array)
    if host.dtype.hasobject:
        raise TypeError(f"arrays of {host.dtype} do not travel: send them as objects (send_obj, bcast_obj, …)")
    return host if host.flags.c_contiguous else host.copy(order="C")


def _half_wire(wire: str | None, dtype: Any) -> str | None:
    """Return the 16-bit format in which arrays of a dtype are sent, or None."""
    return ("bfloat16" if wire == "bfloat16" else "float16") if is_half(wire, dtype) else None


def _largest_magnitude(array: Any) -> float:
    return largest_magnitude(to_host(array).reshape(-1))


def _widened(host: Any) -> Any:
    """Return an array to sum: 16-bit floats become float32, to be rounded once and not for each rank."""
    return host.astype(np.float32) if host.dtype.itemsize == 2 and is_floating(host.dtype) else host


def _describe(host: Any, array: Any) -> tuple[Any, ...]:
    """The header of an array for its receiver: shape, dtype, backend."""
    return host.shape, host.dtype, get_device_of(array).backend.name


def _empty(description: tuple[Any, ...]) -> Any:
    return np.empty(description[0], description[1])


def _device(given: Any, description: tuple[Any, ...]) -> Device:
    """Return the device of a result: the argument's, or without an argument, one of the sender's backend."""
    if given is not None:
        return get_device_of(given)
    current = default_device()
    return current if current.backend.name == description[2] else get_device(description[2])
