"""What the kit of communicators runs on each rank. Each program asserts what its own rank can see.

Arrays depend on the rank that made them (`_array`), so each rank knows what it must receive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.backend import Array, get_backend, get_device
from renga_core.communicator import CommunicatorBase
from renga_core.link import Link
from renga_core.testing.suites.comparing import compare

__all__ = ["PROGRAMS", "add_different_shapes", "fail_on_last_rank"]

DTYPES = ("float32", "float64", "int32")
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "non-contiguous": lambda x: x[::2, 1:],
    "transposed": lambda x: x.T,
    "empty": lambda x: x[:0],
    "zero-dimensional": lambda x: x[0, 0, ...],
}


def topology(comm: CommunicatorBase, device: str) -> None:
    """Ranks and sizes fit together."""
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
    for dtype, layout in _cases():
        right = sum(_host(rank, dtype, layout).astype(np.float64) for rank in range(comm.size))
        own = _array(comm.rank, dtype, layout, device)
        _check(comm.allreduce(own), own, np.asarray(right).astype(dtype), f"allreduce, {layout},")


def bcast(comm: CommunicatorBase, device: str) -> None:
    """The root's array, whichever rank is the root; what others pass is not read."""
    for root in range(comm.size):
        for dtype, layout in _cases():
            own = _array(comm.rank, dtype, layout, device)
            _check(comm.bcast(own, root=root), own, _host(root, dtype, layout), f"bcast, {layout},")


def gather(comm: CommunicatorBase, device: str) -> None:
    """All arrays in the order of ranks, on the root; None elsewhere."""
    for root in range(comm.size):
        for dtype, layout in _cases():
            found = comm.gather(_array(comm.rank, dtype, layout, device), root)
            if comm.rank == root:
                _check_all(found, [_host(rank, dtype, layout) for rank in range(comm.size)], layout, device)
            else:
                what = type(found).__name__
                assert found is None, f"gather returned a {what} on rank {comm.rank}, where the root is {root}"


def allgather(comm: CommunicatorBase, device: str) -> None:
    """All arrays in the order of ranks, everywhere; their shapes may differ."""
    for dtype, layout in _cases():
        found = comm.allgather(_array(comm.rank, dtype, layout, device))
        _check_all(found, [_host(rank, dtype, layout) for rank in range(comm.size)], layout, device)
    own = get_device(device).send(np.full(comm.rank + 1, comm.rank, np.float32))
    right = [np.full(rank + 1, rank, np.float32) for rank in range(comm.size)]
    _check_all(comm.allgather(own), right, "of another length on each rank", device)


def alltoall(comm: CommunicatorBase, device: str) -> None:
    """The i-th array goes to rank i."""
    for dtype, layout in _cases():
        xs = [_array(10 * comm.rank + other, dtype, layout, device) for other in range(comm.size)]
        right = [_host(10 * other + comm.rank, dtype, layout) for other in range(comm.size)]
        _check_all(comm.alltoall(xs), right, layout, device)


def scatter(comm: CommunicatorBase, device: str) -> None:
    """Rank i gets the root's i-th array."""
    for root in range(comm.size):
        for dtype, layout in _cases():
            xs = [_array(10 * comm.rank + other, dtype, layout, device) for other in range(comm.size)]
            found = comm.scatter(xs, root)
            compare(found, _host(10 * root + comm.rank, dtype, layout), f"scatter, {layout}", exact=True)


def send_and_recv(comm: CommunicatorBase, device: str) -> None:
    """Arrays go round a ring, told apart by their tags."""
    there, here = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for tag, (dtype, layout) in enumerate(_cases()):
        x = _array(comm.rank, dtype, layout, device)
        if comm.rank % 2 == 0:
            comm.send(x, there, tag)
        found = comm.recv(here, tag) if comm.size > 1 or comm.rank % 2 == 0 else x
        if comm.rank % 2 == 1:
            comm.send(x, there, tag)
        compare(found, _host(here, dtype, layout), f"recv, {layout}", exact=True)


def objects(comm: CommunicatorBase, device: str) -> None:
    """Objects travel as arrays do."""
    mine = {"rank": comm.rank, "list": [comm.rank] * 3}
    for root in range(comm.size):
        found = comm.bcast_obj(mine, root=root)
        assert found == {"rank": root, "list": [root] * 3}, f"bcast_obj returned {found!r}"
        gathered = comm.gather_obj(comm.rank, root)
        right = list(range(comm.size)) if comm.rank == root else None
        assert gathered == right, f"gather_obj returned {gathered!r} instead of {right!r}"
    total = comm.allreduce_obj([comm.rank])
    assert total == list(range(comm.size)), f"allreduce_obj returned {total!r}: it adds up in the order of ranks"
    if comm.rank == 0:
        comm.send_obj(mine, comm.size - 1, 7)
    if comm.rank == comm.size - 1:
        received = comm.recv_obj(0, 7)
        assert received == {"rank": 0, "list": [0] * 3}, f"recv_obj returned {received!r}"


def split(comm: CommunicatorBase, device: str) -> None:
    """Ranks of one colour form a group, ordered by their keys; what they say to each other stays among them."""
    color = comm.rank % 2
    group = comm.split(color, -comm.rank)
    members = [rank for rank in range(comm.size) if rank % 2 == color][::-1]
    assert group.size == len(members), f"the group has {group.size} ranks; it should have {len(members)}"
    assert members[group.rank] == comm.rank, f"rank {comm.rank} became {group.rank}: keys say otherwise"
    total = group.allreduce(get_device(device).send(np.array([2.0**comm.rank])))
    compare(total, np.array([sum(2.0**rank for rank in members)]), "allreduce in a group", 1e-12)
    group.finalize()


def own_memory(comm: CommunicatorBase, device: str) -> None:
    """What is returned is memory of its own, and what was given is unchanged."""
    calls: dict[str, Callable[[Array], Array]] = {
        "allreduce": comm.allreduce,
        "bcast": comm.bcast,
        "allgather": lambda x: comm.allgather(x)[comm.rank],
        "alltoall": lambda x: comm.alltoall([x] * comm.size)[comm.rank],
        "scatter": lambda x: comm.scatter([x] * comm.size),
    }
    for name, call in calls.items():
        x = _array(comm.rank, "float64", "contiguous", device)
        found = call(x)
        compare(x, _host(comm.rank, "float64", "contiguous"), f"what was given to {name}, after it", exact=True)
        found += 1
        what = f"what was given to {name}, after its result was changed"
        compare(x, _host(comm.rank, "float64", "contiguous"), what, exact=True)


def wrong_count(comm: CommunicatorBase, device: str) -> None:
    """Lists that do not have one array for each rank are refused with ValueError, on every rank."""
    xs = [_array(0, "float32", "contiguous", device)] * (comm.size + 1)
    for name, call in {"alltoall": comm.alltoall, "scatter": comm.scatter}.items():
        try:
            call(xs)
        except ValueError:
            continue
        raise AssertionError(f"{name} of {len(xs)} arrays among {comm.size} ranks raises no ValueError")


def models(comm: CommunicatorBase, device: str) -> None:
    """Parameters become those of rank 0, gradients the means over ranks; missing ones are passed over, or zero."""
    link: Any = Link(w=(2, 3), b=(2,))
    link.to_device(device)
    send = get_device(device).send
    for param in link.params():
        param.array[...] = comm.rank + 1
    comm.bcast_data(link)
    for name, param in link.namedparams():
        compare(param.array, np.ones(param.shape, np.float32), f"{name} after bcast_data", exact=True)
    mean = (comm.size + 1) / 2
    link.cleargrads()
    link.w.grad = send(np.full((2, 3), comm.rank + 1, np.float32))
    comm.multi_node_mean_grad(link)
    compare(link.w.grad, np.full((2, 3), mean, np.float32), "a gradient after multi_node_mean_grad", 1e-6)
    assert link.b.grad is None, "multi_node_mean_grad gave a gradient to a parameter that had none"
    comm.multi_node_mean_grad(link, zero_fill=True)
    filled = dict(link.namedparams())["/b"].grad
    assert filled is not None, "multi_node_mean_grad with zero_fill leaves a gradient missing"
    compare(filled, np.zeros(2, np.float32), "a missing gradient after zero_fill", exact=True)


def add_different_shapes(comm: CommunicatorBase, device: str) -> None:
    """A fault of the user's: raises ValueError on every rank."""
    comm.allreduce(get_device(device).send(np.zeros(3 if comm.rank else 4, np.float32)))


def fail_on_last_rank(comm: CommunicatorBase, device: str) -> None:
    """The last rank raises before it takes part; the others must not hang."""
    if comm.rank == comm.size - 1:
        raise RuntimeError("this rank fails on purpose")
    comm.allreduce(get_device(device).send(np.zeros(3, np.float32)))


PROGRAMS: dict[str, Callable[[CommunicatorBase, str], None]] = {
    program.__name__: program
    for program in (
        topology,
        allreduce,
        bcast,
        gather,
        allgather,
        alltoall,
        scatter,
        send_and_recv,
        objects,
        split,
        own_memory,
        wrong_count,
        models,
    )
}
"""By name."""


def _cases() -> list[tuple[str, str]]:
    return [(dtype, layout) for dtype in DTYPES for layout in LAYOUTS]


def _whole(rank: int, dtype: str) -> Any:
    """A matrix of small whole numbers, which add up exactly in every dtype."""
    return (np.arange(24).reshape(4, 6) + 3 * rank).astype(dtype)


def _host(rank: int, dtype: str, layout: str) -> Any:
    return LAYOUTS[layout](_whole(rank, dtype))


def _array(rank: int, dtype: str, layout: str, device: str) -> Array:
    return LAYOUTS[layout](get_device(device).send(_whole(rank, dtype)))


def _check(found: Array, given: Array, right: Any, what: str) -> None:
    _on_the_same_backend(found, given)
    compare(found, right, what, exact=True)


def _check_all(found: Any, right: list[Any], layout: str, device: str) -> None:
    assert isinstance(found, tuple), f"the result is a {type(found).__name__}; expected a tuple"
    assert len(found) == len(right), f"{len(found)} arrays were returned; there are {len(right)} ranks"
    for rank, (one, expected) in enumerate(zip(found, right, strict=True)):
        _on_the_same_backend(one, get_device(device).send(np.zeros(1)))
        compare(one, expected, f"the array of rank {rank}, {layout},", exact=True)


def _on_the_same_backend(found: Array, given: Array) -> None:
    owner, right = get_backend(found), get_backend(given)
    assert owner is right, f"an array of {right.name!r} came back as one of {owner.name!r}"
