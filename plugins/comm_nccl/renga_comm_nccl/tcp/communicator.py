"""The communicator `tcp`: ranks without MPI, whose messages pass through one process, the store."""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Self

from renga_comm_base.arguments import check_arrays, check_sum
from renga_comm_base.nodes import OnNodes
from renga_comm_base.resilience import RanksLost
from renga_comm_nccl.tcp.address import Address, place_of_this_process
from renga_comm_nccl.tcp.arrays import packed, unpacked
from renga_comm_nccl.tcp.connecting import connect, node_of, run_store
from renga_comm_nccl.tcp.store import FAILED, FINE, LOST, MISMATCH
from renga_core.backend import get_device_of, in_native_order, is_floating, to_host
from renga_core.communicator import MismatchError, RankFailed
from renga_core.errors import RengaError
from renga_core.settings import lookup

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["TcpCommunicator"]


class TcpCommunicator(OnNodes):
    """Ranks whose messages pass through the store, on the host: for objects, agreement and small arrays.

    Large arrays travel twice through one process: `pure_nccl` uses this for everything except device arrays. Sums are
    added in the order of ranks. A process that is not a rank is a group of one.
    """

    name: ClassVar[str] = "tcp"
    _connection: Any = None
    _part_of: tuple[int, int] | None = None
    """Epoch of the group in a job whose ranks may die, and number of this process; None: if one dies, all end."""

    def __init__(self) -> None:
        address = place_of_this_process()
        if address is not None and address.rank >= address.size:
            raise RengaError(
                f"this process waits to replace a dead rank, and communicator {self.name!r} cannot continue without "
                "ranks. Next: use communicator 'resilient_nccl', or start the job without --spares, --respawn and --max"
            )
        if address is not None and address.rank == 0 and not address.served:
            run_store(address)
        rank, size = (0, 1) if address is None else address[:2]
        self._enter(address, _number_of_worlds(), rank, size)

    def _enter(self, address: Address | None, name: str, rank: int, size: int) -> None:
        self._address, self._name = address, name
        self._rank, self._size = rank, size
        self._count = 0
        self._to_myself: dict[int, list[bytes]] = {}
        self._lock = threading.Lock()
        self._connection = None
        if address is not None and size > 1:
            self._connection = connect(address)
            where = f"{socket.gethostname()}, process {os.getpid()}"
            timeout = float(lookup("distributed.timeout").value)
            self._ask("enter", name, rank, size, where, self._part_of, timeout)
            if self._part_of is None:  # else the end of the connection tells the others that this process has ended
                atexit.register(self._leave)
        self._node_of_rank: list[str] = list(self._meet("create_communicator", self.name, node_of(rank)))

    # --- talking to the store -----------------------------------------------------------------------------------------

    def _ask(self, *request: Any) -> Any:
        """Send a request, and return the answer.

        Raises:
            MismatchError: Ranks call different collectives.
            RanksLost: The group is part of a job whose ranks may die, and one has died.
            RankFailed: Another rank or the store has ended.
        """
        with self._lock:
            try:
                self._connection.send_bytes(pickle.dumps(request))
                how, answer = pickle.loads(self._connection.recv_bytes())
            except (EOFError, OSError, AttributeError) as error:
                raise RankFailed(f"{self._who}: the process that runs the store has ended: {error!r}") from None
        if how == MISMATCH:
            raise MismatchError([pickle.loads(call) for call in answer], self._rank)
        if how == LOST:
            raise RanksLost(f"{self._who}: {answer}. Next: call recover()")
        if how == FAILED:
            raise RankFailed(f"{self._who}: {answer}. Next: look for its first error message")
        assert how == FINE
        return answer

    @property
    def _who(self) -> str:
        return f"rank {self._rank} of {self._size}"

    def _meet(self, what: str, detail: object, brought: Any = None) -> list[Any]:
        """Meet all ranks, and return their contributions."""
        message = pickle.dumps(brought)
        found = [message] if self._size == 1 else self._ask("meet", _call(what, detail), message, None, False)
        return [pickle.loads(one) for one in found]

    def _leave(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.send_bytes(pickle.dumps(("leave",)))
                self._connection.close()
            self._connection = None

    # --- the group ----------------------------------------------------------------------------------------------------

    @property
    def rank(self) -> int:  # noqa: D102
        return self._rank

    @property
    def size(self) -> int:  # noqa: D102
        return self._size

    @property
    def _nodes(self) -> list[str]:
        return self._node_of_rank

    def split(self, color: int, key: int) -> Self:  # noqa: D102
        part = object.__new__(type(self))
        self._divide(part, color, key)
        return part

    def _divide(self, part: TcpCommunicator, color: int, key: int) -> None:
        """`split`, into this object."""
        places = self._meet("split", None, (color, key))
        members = [rank for _, rank in sorted((k, rank) for rank, (c, k) in enumerate(places) if c == color)]
        self._count += 1
        name = f"{self._name}/{self._count}.{members[0]}"
        part._part_of = self._part_of
        part._enter(self._address, name, members.index(self.rank), len(members))

    def agree(self, what: str, detail: object) -> None:  # noqa: D102
        self._meet(what, detail)

    def finalize(self) -> None:  # noqa: D102
        super().finalize()
        self._leave()
        atexit.unregister(self._leave)

    # --- objects ------------------------------------------------------------------------------------------------------

    def send_obj(self, obj: Any, dest: int, tag: int = 0) -> None:  # noqa: D102
        self._post(("object", obj), dest, tag)

    def recv_obj(self, source: int, tag: int = 0) -> Any:  # noqa: D102
        return self._fetch("object", source, tag)

    def bcast_obj(self, obj: Any, max_buf_len: int | None = None, root: int = 0) -> Any:  # noqa: D102
        self._check_rank("root", root)
        if self._size == 1:
            return pickle.loads(pickle.dumps(obj))
        detail = {"root": root, "max_buf_len": max_buf_len}
        message = pickle.dumps(obj) if self._rank == root else b""
        return pickle.loads(self._ask("meet", _call("bcast_obj", detail), message, root, True))

    def gather_obj(self, obj: Any, root: int = 0) -> list[Any] | None:  # noqa: D102
        self._check_rank("root", root)
        return self._gathered("gather_obj", {"root": root}, obj, root)

    def _gathered(self, what: str, detail: object, obj: Any, root: int) -> list[Any] | None:
        if self._size == 1:
            return self._meet(what, detail, obj)
        found = self._ask("meet", _call(what, detail), pickle.dumps(obj), root, False)
        return None if found is None else [pickle.loads(one) for one in found]

    def allgather_obj(self, obj: Any) -> list[Any]:  # noqa: D102
        return self._meet("allgather_obj", None, obj)

    def allreduce_obj(self, obj: Any) -> Any:  # noqa: D102
        first, *others = self._meet("allreduce_obj", None, obj)
        for other in others:
            first = first + other
        return first

    def barrier(self) -> None:  # noqa: D102
        self._meet("barrier", None)

    def _post(self, message: Any, dest: int, tag: int) -> None:
        self._check_rank("dest", dest)
        if dest == self._rank:
            self._to_myself.setdefault(tag, []).append(pickle.dumps(message))
            return
        with self._lock:
            try:
                self._connection.send_bytes(pickle.dumps(("send", dest, tag, pickle.dumps(message))))
            except (OSError, AttributeError) as error:
                raise RankFailed(f"{self._who}: the process that runs the store has ended: {error!r}") from None

    def _fetch(self, kind: str, source: int, tag: int) -> Any:
        self._check_rank("source", source)
        if source == self._rank:
            if not self._to_myself.get(tag):
                raise RuntimeError(f"rank {source} waits for itself, but has sent itself no message with tag {tag}")
            message = self._to_myself[tag].pop(0)
        else:
            message = self._ask("recv", source, tag)
        found, content = pickle.loads(message)
        if found != kind:
            name = {"object": "recv_obj", "arrays": "recv"}[found]
            raise TypeError(f"rank {source} sent {found} with tag {tag}: receive it by {name}")
        return content

    def _check_rank(self, name: str, rank: int) -> None:
        if not 0 <= rank < self.size:
            raise ValueError(f"{name} is {rank}; ranks go from 0 to {self.size - 1}")

    # --- arrays -------------------------------------------------------------------------------------------------------

    def send(self, data: Array | tuple[Array, ...], dest: int, tag: int) -> None:  # noqa: D102
        arrays = data if isinstance(data, (tuple, list)) else (data,)
        check_arrays("send", *arrays)
        self._post(("arrays", (isinstance(data, (tuple, list)), [packed(one) for one in arrays])), dest, tag)

    def recv(self, source: int, tag: int) -> Any:  # noqa: D102
        is_tuple, message = self._fetch("arrays", source, tag)
        arrays = tuple(unpacked(one, None) for one in message)
        return arrays if is_tuple else arrays[0]

    def bcast(self, data: Array, max_buf_len: int | None = None, root: int = 0) -> Array:  # noqa: D102
        self._check_rank("root", root)
        if self.rank == root:
            check_arrays("bcast", data)
        message = packed(data) if self.rank == root else ("", None)
        if self._size > 1:
            call = _call("bcast", {"root": root, "max_buf_len": max_buf_len})
            message = pickle.loads(self._ask("meet", call, pickle.dumps(message), root, True))
        return unpacked(message, data)

    def gather(self, data: Array, root: int = 0) -> tuple[Array, ...] | None:  # noqa: D102
        self._check_rank("root", root)
        check_arrays("gather", data)
        found = self._gathered("gather", {"root": root}, packed(data), root)
        return None if found is None else tuple(unpacked(one, data) for one in found)

    def allgather(self, x: Array) -> tuple[Array, ...]:  # noqa: D102
        check_arrays("allgather", x)
        return tuple(unpacked(one, x) for one in self._meet("allgather", None, packed(x)))

    def alltoall(self, xs: Sequence[Array]) -> tuple[Array, ...]:  # noqa: D102
        check_arrays("alltoall", *xs)
        rows = self._meet("alltoall", {"arrays": len(xs)}, [packed(x) for x in xs])
        self._check_count(len(xs))
        return tuple(unpacked(row[self.rank], x) for row, x in zip(rows, xs, strict=True))

    def scatter(self, xs: Sequence[Array], root: int = 0) -> Array:  # noqa: D102
        self._check_rank("root", root)
        if self.rank == root:
            check_arrays("scatter", *xs)
        message = [packed(x) for x in xs] if self.rank == root else []
        if self._size > 1:
            call = _call("scatter", {"root": root})
            message = pickle.loads(self._ask("meet", call, pickle.dumps(message), root, True))
        self._check_count(len(message))
        own = xs[self.rank] if xs is not None and len(xs) > self.rank else None
        return unpacked(message[self.rank], own)

    def allreduce(self, data: Array) -> Array:  # noqa: D102
        check_arrays("allreduce", data)
        data = in_native_order(data)
        detail = (tuple(data.shape), str(data.dtype))
        rows = self._meet("allreduce", detail, to_host(data))
        check_sum("allreduce", data.dtype)
        half = data.dtype.itemsize == 2 and is_floating(data.dtype)
        total = rows[0].astype("float32" if half else rows[0].dtype)
        for row in rows[1:]:
            total = total + row
        return get_device_of(data).send(total.astype(rows[0].dtype, copy=False).reshape(rows[0].shape))

    def _check_count(self, count: int) -> None:
        if count != self.size:
            raise ValueError(f"{count} arrays were given for {self.size} ranks; one for each is needed")


_worlds = 0


def _number_of_worlds() -> str:
    """Return a name for the group of all ranks; each rank creates groups in the same order."""
    global _worlds
    _worlds += 1
    return f"world{_worlds}"


def _call(what: str, detail: object) -> tuple[bytes, bytes]:
    """Describe a call: a digest to compare (equal objects may be pickled differently), and text."""
    call = (what, detail)
    return hashlib.blake2b(repr(call).encode(), digest_size=16).digest(), pickle.dumps(call)
