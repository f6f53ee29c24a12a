"""Ranks that make different calls: every rank gets an error, and the group can be used afterwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from renga_core.backend import get_device
from renga_core.communicator import CommunicatorBase, MismatchError
from renga_core.link import Link


def different_shapes(comm: CommunicatorBase, device: str) -> None:
    """A reduction of different shapes raises an error; each rank in turn has the different shape."""
    send = get_device(device).send
    for odd in range(comm.size):
        x = send(np.zeros(4 if comm.rank == odd else 3, np.float32))
        y = send(np.zeros((3, 1) if comm.rank == odd else 3, np.float32))
        calls: dict[str, Callable[[], Any]] = {
            "allreduce": partial(comm.allreduce, x),
            "allreduce of different numbers of axes": partial(comm.allreduce, y),
            "reduce_scatter": partial(comm.reduce_scatter, x),
            "mean": partial(comm.mean, [x, x]),
            "mean of different numbers of arrays": partial(comm.mean, [x[:1]] * (1 + (comm.rank == odd))),
            "imean": partial(_imean, comm, [x]),
        }
        for name, call in calls.items():
            _refused(comm, call, f"{name} of different shapes")


def different_dtypes(comm: CommunicatorBase, device: str) -> None:
    """A reduction with different dtypes raises an error."""
    send = get_device(device).send
    for odd in range(comm.size):
        x = send(np.zeros(3, np.float64 if comm.rank == odd else np.float32))
        calls: dict[str, Callable[[], Any]] = {
            "allreduce": partial(comm.allreduce, x),
            "reduce_scatter": partial(comm.reduce_scatter, x),
            "mean": partial(comm.mean, [x]),
            "imean": partial(_imean, comm, [x]),
        }
        for name, call in calls.items():
            _refused(comm, call, f"{name} of different dtypes")


def different_roots(comm: CommunicatorBase, device: str) -> None:
    """Different roots raise an error."""
    x = get_device(device).send(np.zeros(3, np.float32))
    for odd in range(comm.size):
        root = int(comm.rank == odd)
        calls: dict[str, Callable[[], Any]] = {
            "bcast": partial(comm.bcast, x, root=root),
            "gather": partial(comm.gather, x, root),
            "scatter": partial(comm.scatter, [x] * comm.size, root),
            "bcast_obj": partial(comm.bcast_obj, 0, root=root),
            "gather_obj": partial(comm.gather_obj, 0, root),
        }
        for name, call in calls.items():
            _refused(comm, call, f"{name} from different roots")


def different_collectives(comm: CommunicatorBase, device: str) -> None:
    """Different collectives raise an error."""
    x = get_device(device).send(np.zeros(3, np.float32))
    calls: dict[str, Callable[[], Any]] = {
        "bcast": lambda: comm.bcast(x),
        "allreduce": lambda: comm.allreduce(x),
        "allgather": lambda: comm.allgather(x),
        "gather": lambda: comm.gather(x),
        "alltoall": lambda: comm.alltoall([x] * comm.size),
        "scatter": lambda: comm.scatter([x] * comm.size),
        "mean": lambda: comm.mean([x]),
        "bcast_obj": lambda: comm.bcast_obj(0),
        "gather_obj": lambda: comm.gather_obj(0),
        "allgather_obj": lambda: comm.allgather_obj(0),
        "allreduce_obj": lambda: comm.allreduce_obj(0),
        "barrier": comm.barrier,
    }
    names = list(calls)
    for i, name in enumerate(names):
        other = names[(i + 1) % len(names)]
        mine = name if comm.rank == 0 else other
        error = _refused(comm, calls[mine], f"{name} on rank 0, {other} on the others")
        assert mine in str(error), (
            f"{name} on rank 0 and {other} on the others: the error on rank {comm.rank} is {error}"
        )


def different_models(comm: CommunicatorBase, device: str) -> None:
    """Models with different parameters, or gradients of different parameters, raise an error."""
    for odd in range(comm.size):
        link = Link(w=(2, 3), b=(4,) if comm.rank == odd else (3,))
        link.to_device(device)
        link.cleargrads()
        for param in link.params():
            param.array[...] = comm.rank
        _refused(comm, partial(comm.bcast_data, link), "bcast_data of different shapes")
        assert all((param.array == comm.rank).all() for param in link.params()), (
            "bcast_data wrote a parameter before the error"
        )
        if comm.rank == odd:
            next(iter(link.params())).zerograd()
        _refused(comm, partial(comm.multi_node_mean_grad, link), "gradients of different parameters")
        for param in link.params():
            param.zerograd()
        _refused(comm, partial(comm.multi_node_mean_grad, link), "gradients of different shapes")


def _imean(comm: CommunicatorBase, arrays: list[Any]) -> list[Any]:
    return comm.imean(arrays).wait()


def _refused(comm: CommunicatorBase, call: Callable[[], Any], what: str) -> MismatchError:
    """Assert that a call raises MismatchError, and that the group can be used afterwards."""
    try:
        call()
    except MismatchError as error:
        found = error
    else:
        raise AssertionError(f"{what}: rank {comm.rank} got no MismatchError")
    assert len(found.given) == comm.size, f"{what}: the error on rank {comm.rank} lists {len(found.given)} ranks"
    total = comm.allgather_obj(what)
    assert total == [what] * comm.size, f"after {what}, allgather_obj returned {total!r}"
    return found
