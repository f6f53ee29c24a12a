"""The communicator of a single process."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from renga_comm_base import Communicator
from renga_comm_base.arguments import check_arrays, check_sum
from renga_core.backend import Array

__all__ = ["SingleCommunicator"]


class SingleCommunicator(Communicator):
    """A group of one process. Every collective returns a copy of this process's argument.

    A process may send to itself. Receiving without a sent message is an error, since the process would wait forever.
    """

    def __init__(self) -> None:
        self._sent: dict[int, deque[Any]] = {}

    rank = 0
    size = 1
    intra_rank = 0
    intra_size = 1
    inter_rank = 0
    inter_size = 1

    def split(self, color: int, key: int) -> SingleCommunicator:  # noqa: D102
        return SingleCommunicator()

    def send(self, data: Array | tuple[Array, ...], dest: int, tag: int) -> None:  # noqa: D102
        arrays = data if isinstance(data, (tuple, list)) else (data,)
        check_arrays("send", *arrays)
        copies = tuple(x.copy() for x in arrays)
        self.send_obj(copies if arrays is data else copies[0], dest, tag)

    def recv(self, source: int, tag: int) -> Any:  # noqa: D102
        return self.recv_obj(source, tag)

    def bcast(self, data: Array, max_buf_len: int | None = None, root: int = 0) -> Array:  # noqa: D102
        _check_rank("root", root)
        check_arrays("bcast", data)
        return data.copy()

    def gather(self, data: Array, root: int = 0) -> tuple[Array, ...]:  # noqa: D102
        _check_rank("root", root)
        check_arrays("gather", data)
        return (data.copy(),)

    def allgather(self, x: Array) -> tuple[Array, ...]:  # noqa: D102
        check_arrays("allgather", x)
        return (x.copy(),)

    def alltoall(self, xs: Sequence[Array]) -> tuple[Array, ...]:  # noqa: D102
        _check_count(xs)
        check_arrays("alltoall", *xs)
        return (xs[0].copy(),)

    def scatter(self, xs: Sequence[Array], root: int = 0) -> Array:  # noqa: D102
        _check_rank("root", root)
        _check_count(xs)
        check_arrays("scatter", *xs)
        return xs[0].copy()

    def allreduce(self, data: Array) -> Array:  # noqa: D102
        check_arrays("allreduce", data)
        check_sum("allreduce", data.dtype)
        return data.copy()

    def send_obj(self, obj: Any, dest: int, tag: int = 0) -> None:  # noqa: D102
        _check_rank("dest", dest)
        self._sent.setdefault(tag, deque()).append(obj)

    def recv_obj(self, source: int, tag: int = 0) -> Any:
        """Return the next message that this process sent to itself with this tag.

        Raises:
            RuntimeError: There is no such message.
        """
        _check_rank("source", source)
        if not self._sent.get(tag):
            raise RuntimeError(f"nothing was sent with tag {tag}, and there is no other process that could send it")
        return self._sent[tag].popleft()

    def bcast_obj(self, obj: Any, max_buf_len: int | None = None, root: int = 0) -> Any:  # noqa: D102
        _check_rank("root", root)
        return obj

    def gather_obj(self, obj: Any, root: int = 0) -> list[Any]:  # noqa: D102
        _check_rank("root", root)
        return [obj]

    def allgather_obj(self, obj: Any) -> list[Any]:  # noqa: D102
        return [obj]

    def allreduce_obj(self, obj: Any) -> Any:  # noqa: D102
        return obj

    def barrier(self) -> None:  # noqa: D102
        pass

    def agree(self, what: str, detail: object) -> None:  # noqa: D102
        pass


def _check_rank(name: str, rank: int) -> None:
    if rank != 0:
        raise ValueError(f"{name} is {rank}; a single process has rank 0 only")


def _check_count(xs: Sequence[Array]) -> None:
    if len(xs) != 1:
        raise ValueError(f"{len(xs)} arrays were given for 1 process; one for each is needed")
