"""Ranks as threads of one process, for debugging and tests.

::

    def program(communicator):
        return communicator.allreduce(numpy.ones(3))

    results = launch(program, 4)

A debugger, `print` and tracebacks show all ranks at once, and no installation is needed. It is slow: ranks share one
interpreter.

Unlike processes, ranks share Renga's random generators, settings, and all other globals of the program.
`renga.random.seed` on one rank affects all, and draws are in order of calls: give each rank its own NumPy generator if
this matters. Each thread has its own `renga.config`, which starts with the defaults, not with the values of the
launching thread.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, Self, TypeVar

from renga_comm_base.arguments import check_arrays, check_sum
from renga_comm_base.nodes import OnNodes
from renga_core.backend import Array, get_device_of, in_native_order
from renga_core.communicator import MismatchError, RankFailed
from renga_distributed.rendezvous import Group, Job

__all__ = ["ThreadsCommunicator", "launch"]

R = TypeVar("R")

_here = threading.local()
"""`place`: group and rank of a thread started by `launch`."""


def launch(program: Callable[..., R], size: int, *args: Any, ranks_per_node: int | None = None) -> list[R]:
    """Run ``program(communicator, *args)`` on each rank, in its own thread, and wait for all.

    When a rank raises, ranks that wait for it get `RankFailed` with its error. When all ranks wait for each other, all
    get it.

    Args:
        program: The function that every rank runs.
        size: Number of ranks.
        args: The same objects for all ranks.
        ranks_per_node: Number of consecutive ranks that count as one machine (`intra_rank`, `inter_rank`); None: all.

    Returns:
        The results of the ranks, in order.

    Raises:
        Exception: The error of the first failing rank, with a note that names the rank.
        ValueError: `size` or `ranks_per_node` is less than one.
    """
    if size < 1 or (ranks_per_node is not None and ranks_per_node < 1):
        raise ValueError(f"{size} ranks, {ranks_per_node} on a node: at least one is needed")
    group = Group(Job(size, ranks_per_node), range(size))
    results: list[Any] = [None] * size
    errors: dict[int, BaseException] = {}

    def work(rank: int) -> None:
        _here.place = group, rank
        group.job.begin(rank)
        communicator = ThreadsCommunicator()
        try:
            results[rank] = program(communicator, *args)
            communicator.finalize()
        except BaseException as error:
            errors[rank] = error
            group.job.fail(f"rank {rank} failed ({type(error).__name__}: {error})")
        else:
            group.job.finish(rank)

    # Daemons: a rank in an endless loop does not keep an interrupted program alive.
    threads = [threading.Thread(target=work, args=(rank,), name=f"rank {rank}", daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException as error:
        group.job.fail(f"the launching thread got {type(error).__name__}")
        raise
    if errors:
        # Prefer the original error to the errors of ranks that waited for it.
        rank = min(errors, key=lambda rank: (isinstance(errors[rank], RankFailed), rank))
        errors[rank].add_note(f"Raised on rank {rank} of {size}.")
        raise errors[rank]
    return results


class ThreadsCommunicator(OnNodes):
    """A communicator of the ranks started by `launch`; elsewhere, a group of one.

    Objects are pickled, as between processes. Sums are computed in the order of ranks. Sending
    never waits.
    """

    overlaps = True

    def __init__(self) -> None:
        self._group: Group
        self._rank: int
        self._group, self._rank = getattr(_here, "place", None) or (_group_of_one(), 0)

    @property
    def rank(self) -> int:  # noqa: D102
        return self._rank

    @property
    def size(self) -> int:  # noqa: D102
        return len(self._group.members)

    @property
    def _nodes(self) -> list[int]:
        return [self._group.job.node_of(member) for member in self._group.members]

    def split(self, color: int, key: int) -> Self:  # noqa: D102
        places = self._exchange("split", None, (color, key))
        ranks = sorted((k, rank) for rank, (c, k) in enumerate(places) if c == color)
        members = [rank for _, rank in ranks]
        mine = Group(self._group.job, [self._group.members[rank] for rank in members])
        part = object.__new__(type(self))
        part._group = self._exchange("split", None, mine)[members[0]]
        part._rank = members.index(self.rank)
        return part

    def send(self, data: Array | tuple[Array, ...], dest: int, tag: int) -> None:  # noqa: D102
        arrays = data if isinstance(data, (tuple, list)) else (data,)
        check_arrays("send", *arrays)
        copies = tuple(x.copy() for x in arrays)
        self._group.post(self.rank, self._checked(dest), "array", tag, copies if arrays is data else copies[0])

    def recv(self, source: int, tag: int) -> Any:  # noqa: D102
        return self._group.fetch(self._checked(source), self.rank, "array", tag)

    def bcast(self, data: Array, max_buf_len: int | None = None, root: int = 0) -> Array:  # noqa: D102
        if self.rank == root:
            check_arrays("bcast", data)
        found = self._exchange("bcast", {"root": root}, data.copy() if self.rank == root else None)
        return _copy(found[self._checked(root)], data)

    def gather(self, data: Array, root: int = 0) -> tuple[Array, ...] | None:  # noqa: D102
        check_arrays("gather", data)
        found = self._exchange("gather", {"root": root}, data.copy())
        return tuple(_copy(x, data) for x in found) if self.rank == self._checked(root) else None

    def allgather(self, x: Array) -> tuple[Array, ...]:  # noqa: D102
        check_arrays("allgather", x)
        return tuple(_copy(one, x) for one in self._exchange("allgather", None, x.copy()))

    def alltoall(self, xs: Sequence[Array]) -> tuple[Array, ...]:  # noqa: D102
        check_arrays("alltoall", *xs)
        found = self._exchange("alltoall", {"arrays": len(xs)}, [x.copy() for x in xs])
        self._check_count(found[self.rank])
        return tuple(given[self.rank] for given in found)  # no other rank takes these

    def scatter(self, xs: Sequence[Array], root: int = 0) -> Array:  # noqa: D102
        if self.rank == root:
            check_arrays("scatter", *xs)
        found = self._exchange("scatter", {"root": root}, [x.copy() for x in xs] if self.rank == root else None)
        given = found[self._checked(root)]
        self._check_count(given)
        return given[self.rank]

    def allreduce(self, data: Array) -> Array:  # noqa: D102
        check_arrays("allreduce", data)
        data = in_native_order(data)
        first, *others = self._exchange("allreduce", (tuple(data.shape), str(data.dtype)), data.copy())
        check_sum("allreduce", data.dtype)
        total = _copy(first, data)
        for other in others:
            total += _on_device_of(other, data)
        return total

    def send_obj(self, obj: Any, dest: int, tag: int = 0) -> None:  # noqa: D102
        self._group.post(self.rank, self._checked(dest), "object", tag, pickle.dumps(obj))

    def recv_obj(self, source: int, tag: int = 0) -> Any:  # noqa: D102
        return pickle.loads(self._group.fetch(self._checked(source), self.rank, "object", tag))

    def bcast_obj(self, obj: Any, max_buf_len: int | None = None, root: int = 0) -> Any:  # noqa: D102
        found = self._exchange("bcast_obj", {"root": root}, pickle.dumps(obj) if self.rank == root else b"")
        return pickle.loads(found[self._checked(root)])

    def gather_obj(self, obj: Any, root: int = 0) -> list[Any] | None:  # noqa: D102
        found = self._exchange("gather_obj", {"root": root}, pickle.dumps(obj))
        return [pickle.loads(one) for one in found] if self.rank == self._checked(root) else None

    def allgather_obj(self, obj: Any) -> list[Any]:  # noqa: D102
        return [pickle.loads(one) for one in self._exchange("allgather_obj", None, pickle.dumps(obj))]

    def allreduce_obj(self, obj: Any) -> Any:  # noqa: D102
        found = self._exchange("allreduce_obj", None, pickle.dumps(obj))
        return reduce(add, [pickle.loads(one) for one in found])

    def barrier(self) -> None:  # noqa: D102
        self._exchange("barrier", None, None)

    def agree(self, what: str, detail: object) -> None:  # noqa: D102
        self._exchange(what, detail, None)

    def _exchange(self, what: str, detail: object, given: Any) -> list[Any]:
        """Return the values of all ranks, in order, if all make the same collective call."""
        found = self._group.exchange(self.rank, (what, detail, given), what)
        calls = [(what, detail) for what, detail, _ in found]
        if any(call != calls[0] for call in calls):
            raise MismatchError(calls, self.rank)
        return [given for _, _, given in found]

    def _checked(self, rank: int) -> int:
        if not 0 <= rank < self.size:
            raise ValueError(f"there is no rank {rank} among {self.size}")
        return rank

    def _check_count(self, xs: Sequence[Array]) -> None:
        if len(xs) != self.size:
            raise ValueError(f"{len(xs)} arrays were given for {self.size} ranks; one for each is needed")


def _group_of_one() -> Group:
    group = Group(Job(1), [0])
    group.job.begin(0)
    return group


def _copy(array: Array, like: Array | None) -> Array:
    """Copy another rank's array, to the device of this rank's argument, if given."""
    return _on_device_of(array.copy(), like)


def _on_device_of(array: Array, like: Array | None) -> Array:
    return array if like is None else get_device_of(like).send(array)
