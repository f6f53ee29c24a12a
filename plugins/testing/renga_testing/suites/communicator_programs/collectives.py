"""Collectives of arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from renga_core.backend import Array, get_device
from renga_core.communicator import CommunicatorBase
from renga_testing.suites.communicator_programs.arrays import CASES, array, check, check_all, dtypes, host
from renga_testing.suites.comparing import compare


def topology(comm: CommunicatorBase, device: str) -> None:
    """Ranks and sizes are consistent."""
    assert 0 <= comm.rank < comm.size, f"rank is {comm.rank}, size {comm.size}"
    assert 0 <= comm.intra_rank < comm.intra_size, f"intra_rank is {comm.intra_rank}, intra_size {comm.intra_size}"
    assert 0 <= comm.inter_rank < comm.inter_size, f"inter_rank is {comm.inter_rank}, inter_size {comm.inter_size}"
    assert comm.intra_size <= comm.size, f"intra_size is {comm.intra_size}, size {comm.size}"
    places = comm.gather_obj((comm.rank, comm.inter_rank, comm.intra_rank))
    if comm.rank == 0:
        assert places is not None, "gather_obj returned None on its root"
        assert [place[0] for place in places] == list(range(comm.size)), f"ranks are {[p[0] for p in places]}"
        assert len({place[1:] for place in places}) == comm.size, "two ranks have the same place on one machine"


def allreduce(comm: CommunicatorBase, device: str) -> None:
    """The sum of all ranks' arrays, in their dtype."""
    for dtype, layout in CASES:
        own = array(comm.rank, dtype, layout, device)
        check(comm.allreduce(own), own, _sum(comm, dtype, layout), f"allreduce, {layout},")
    small = get_device(device).send(np.array([2.0**-140, 2.0**-127, np.inf, np.nan], np.float32))
    right = np.array([2.0**-140, 2.0**-127, np.inf, np.nan], np.float32) * np.float32(comm.size)
    check(comm.allreduce(small), small, right, "allreduce of small, infinite and NaN values,")


def bcast(comm: CommunicatorBase, device: str) -> None:
    """All ranks get the root's array, for each root; arrays of other ranks are not read."""
    for root, (dtype, layout) in _roots(comm):
        own = array(comm.rank, dtype, layout, device)
        check(comm.bcast(own, root=root), own, host(root, dtype, layout), f"bcast, {layout},")
    another = get_device(device).send(np.full(comm.rank + 1, comm.rank, np.float32))
    for root in range(comm.size):
        right = np.full(root + 1, root, np.float32)
        check(comm.bcast(another, root=root), another, right, "bcast of arrays of different lengths")


def gather(comm: CommunicatorBase, device: str) -> None:
    """All arrays in the order of ranks, on the root; None elsewhere."""
    for root, (dtype, layout) in _roots(comm):
        found = comm.gather(array(comm.rank, dtype, layout, device), root)
        if comm.rank == root:
            check_all(found, [host(rank, dtype, layout) for rank in range(comm.size)], f"gather, {layout},", device)
        else:
            what = type(found).__name__
            assert found is None, f"gather returned a {what} on rank {comm.rank}, where the root is {root}"


def allgather(comm: CommunicatorBase, device: str) -> None:
    """All arrays in the order of ranks, everywhere; their shapes may differ."""
    for dtype, layout in CASES:
        found = comm.allgather(array(comm.rank, dtype, layout, device))
        check_all(found, [host(rank, dtype, layout) for rank in range(comm.size)], f"allgather, {layout},", device)
    own = get_device(device).send(np.full(comm.rank + 1, comm.rank, np.float32))
    right = [np.full(rank + 1, rank, np.float32) for rank in range(comm.size)]
    check_all(comm.allgather(own), right, "allgather of another length on each rank,", device)


def alltoall(comm: CommunicatorBase, device: str) -> None:
    """The i-th array goes to rank i."""
    for dtype, layout in CASES:
        xs = [array(10 * comm.rank + other, dtype, layout, device) for other in range(comm.size)]
        right = [host(10 * other + comm.rank, dtype, layout) for other in range(comm.size)]
        check_all(comm.alltoall(xs), right, f"alltoall, {layout},", device)
    # Rank i sends i + j elements to rank j: none from 0 to itself.
    lengths = [get_device(device).send(np.full(comm.rank + j, comm.rank, np.float32)) for j in range(comm.size)]
    right = [np.full(comm.rank + j, j, np.float32) for j in range(comm.size)]
    check_all(comm.alltoall(lengths), right, "alltoall of several lengths,", device)


def scatter(comm: CommunicatorBase, device: str) -> None:
    """Rank i gets the root's i-th array."""
    for root, (dtype, layout) in _roots(comm):
        xs = [array(10 * comm.rank + other, dtype, layout, device) for other in range(comm.size)]
        right = host(10 * root + comm.rank, dtype, layout)
        check(comm.scatter(xs, root), xs[0], right, f"scatter, {layout},")


def every_dtype(comm: CommunicatorBase, device: str) -> None:
    """Every dtype is supported; a sum of bool is true if any element is, as in NumPy."""
    there, here = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for i, dtype in enumerate(dtypes(device)):
        own, all_ranks = array(comm.rank, dtype, "contiguous", device), range(comm.size)
        root = i % comm.size
        check(comm.allreduce(own), own, _sum(comm, dtype), f"allreduce of {dtype}")
        check(comm.bcast(own, root=root), own, host(root, dtype), f"bcast of {dtype}")
        check_all(comm.allgather(own), [host(rank, dtype) for rank in all_ranks], f"allgather of {dtype},", device)
        right = [host(rank, dtype) for rank in all_ranks]
        check_all(comm.alltoall([own] * comm.size), right, f"alltoall of {dtype},", device)
        check(comm.scatter([own] * comm.size, root), own, host(root, dtype), f"scatter of {dtype}")
        found = comm.gather(own, root)
        if found is not None:
            check_all(found, [host(rank, dtype) for rank in all_ranks], f"gather of {dtype},", device)
        comm.send(own, there, i)
        check(comm.recv(here, i), own, host(here, dtype), f"recv of {dtype}")


def large(comm: CommunicatorBase, device: str) -> None:
    """Arrays of some megabytes, also with bucket sizes that do not divide their size."""
    length = 2**20 + 3
    values = np.arange(length, dtype=np.float32)
    own = get_device(device).send(values + comm.rank)
    root = comm.size - 1
    right = comm.size * values + comm.size * (comm.size - 1) // 2
    check(comm.allreduce(own), own, right, "allreduce of a large array")
    begin, end = comm.share(length)
    check(comm.reduce_scatter(own), own, right[begin:end], "reduce_scatter of a large array")
    check(comm.bcast(own, root=root), own, values + root, "bcast of a large array")
    check(comm.bcast(own, max_buf_len=1000003, root=root), own, values + root, "bcast of a large array in pieces")
    check_all(comm.allgather(own), [values + rank for rank in range(comm.size)], "allgather of large arrays,", device)
    if comm.size > 1:  # one pair of ranks: if all ranks sent at once, each might wait until the next one receives
        if comm.rank == 0:
            comm.send(own, 1, 0)
        if comm.rank == 1:
            check(comm.recv(0, 0), own, values, "recv of a large array")
    text = comm.bcast_obj("x" * (3 * 2**20 + comm.rank), max_buf_len=1000003, root=root)
    assert text == "x" * (3 * 2**20 + root), "bcast_obj of a large object in pieces returned a different object"


def sharing(comm: CommunicatorBase, device: str) -> None:
    """`share` divides evenly, in order, longer shares first; `reduce_scatter` gives each rank its share of the sum."""
    for length in (0, 1, comm.size, comm.size + 1, 3 * comm.size - 1, 10):
        shares = [comm.share(length, rank) for rank in range(comm.size)]
        sizes = [len(part) for part in np.array_split(np.zeros(length), comm.size)]
        ends = [int(end) for end in np.cumsum([0, *sizes])]
        right = list(pairwise(ends))
        assert shares == right, f"shares of {length} elements are {shares}; expected {right}"
        assert comm.share(length) == right[comm.rank], f"share({length}) is not the share of rank {comm.rank}"
        begin, end = right[comm.rank]
        for dtype in ("float32", "int32"):
            # Every other element, so that it is not contiguous.
            own = get_device(device).send(np.arange(2 * length).astype(dtype) + comm.rank)[::2]
            total = comm.size * np.arange(0, 2 * length, 2) + comm.size * (comm.size - 1) // 2
            check(comm.reduce_scatter(own), own, total[begin:end].astype(dtype), f"reduce_scatter of {length} elements")


def own_memory(comm: CommunicatorBase, device: str) -> None:
    """Results do not share memory with the arguments, and arguments do not change."""
    calls: dict[str, Callable[[Array], Any]] = {
        "allreduce": comm.allreduce,
        "bcast": comm.bcast,
        "gather": lambda x: (comm.gather(x) or (None,))[0],
        "allgather": lambda x: comm.allgather(x)[comm.rank],
        "alltoall": lambda x: comm.alltoall([x] * comm.size)[comm.rank],
        "scatter": lambda x: comm.scatter([x] * comm.size),
        "reduce_scatter": lambda x: comm.reduce_scatter(x.reshape(-1)),
        "mean": lambda x: comm.mean([x])[0],
        "imean": lambda x: comm.imean([x]).wait()[0],
        "send": lambda x: (comm.send(x, comm.rank, 0), comm.recv(comm.rank, 0))[1],
    }
    for name, call in calls.items():
        x = array(comm.rank, "float64", "contiguous", device)
        found = call(x)
        compare(x, host(comm.rank, "float64"), f"the argument of {name}, after it", exact=True)
        if found is not None:
            found += 1
        what = f"the argument of {name}, after its result was changed"
        compare(x, host(comm.rank, "float64"), what, exact=True)


def wrong_count(comm: CommunicatorBase, device: str) -> None:
    """Lists that do not have one array for each rank raise ValueError, on every rank."""
    xs = [array(0, "float32", "contiguous", device)] * (comm.size + 1)
    for name, call in {"alltoall": comm.alltoall, "scatter": comm.scatter}.items():
        try:
            call(xs)
        except ValueError:
            continue
        raise AssertionError(f"{name} of {len(xs)} arrays among {comm.size} ranks raises no ValueError")


def wrong_root(comm: CommunicatorBase, device: str) -> None:
    """Rank numbers out of range raise ValueError."""
    x = array(0, "float32", "contiguous", device)
    calls: dict[str, Callable[[int], Any]] = {
        "bcast": lambda rank: comm.bcast(x, root=rank),
        "gather": lambda rank: comm.gather(x, rank),
        "scatter": lambda rank: comm.scatter([x] * comm.size, rank),
        "bcast_obj": lambda rank: comm.bcast_obj(0, root=rank),
        "gather_obj": lambda rank: comm.gather_obj(0, rank),
        "send": lambda rank: comm.send(x, rank, 0),
        "recv": lambda rank: comm.recv(rank, 0),
        "send_obj": lambda rank: comm.send_obj(0, rank, 0),
        "recv_obj": lambda rank: comm.recv_obj(rank, 0),
    }
    for name, call in calls.items():
        for rank in (-1, comm.size):
            try:
                call(rank)
            except ValueError:
                continue
            raise AssertionError(f"{name} with rank {rank} among {comm.size} raises no ValueError")


def _sum(comm: CommunicatorBase, dtype: str, layout: str = "contiguous") -> Any:
    return np.asarray(reduce(np.add, [host(rank, dtype, layout) for rank in range(comm.size)]))


def _roots(comm: CommunicatorBase) -> list[tuple[int, tuple[str, str]]]:
    """Each case with a root; every rank is the root in turn."""
    return [(i % comm.size, case) for i, case in enumerate(CASES)]
