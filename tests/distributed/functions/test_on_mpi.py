"""The same on real processes, with messages too large to be buffered: here a wrong order would wait for ever."""

from __future__ import annotations

import numpy as np
import pytest

from renga.distributed import create_communicator
from renga.distributed.functions import allgather, alltoall, bcast, gather, pseudo_connect, recv, scatter, send
from renga.distributed.links import MultiNodeChainList
from renga_core.graph import Variable
from renga_core.link import Link

LARGE = 100_000


class Times(Link):
    """Multiply by a number."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor


def ring_of_links() -> float:
    """Twice around all ranks, and back by backward."""
    comm = create_communicator("naive")
    try:
        model = MultiNodeChainList(comm)
        before, after = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
        for turn in range(2):
            model.add_link(Times(2.0), None if comm.rank == turn == 0 else before, after)
        if comm.rank == 0:
            model.add_link(Times(2.0), before, None)
        x = Variable(np.ones(LARGE))
        y = model(x)
        (y.sum() if comm.rank == 0 else y).backward()
        return float(x.grad.mean()) if comm.rank == 0 else 0.0
    finally:
        comm.finalize()


def all_functions() -> tuple[float, float]:
    """Each function once, each used in what follows; the gradients of two orders."""
    comm = create_communicator("naive")
    try:
        x = Variable(np.full(LARGE, comm.rank + 1.0))
        y = sum(allgather(comm, x * x))
        y = sum(alltoall(comm, [y] * comm.size))
        y = bcast(comm, y)
        parts = gather(comm, y)
        z = scatter(comm, parts)
        even = comm.rank % 2 == 0
        other = comm.rank + 1 if even else comm.rank - 1
        if even and other < comm.size:
            sent = send(z, comm, other)
            z = recv(comm, other, delegate_variable=sent)
        elif not even:
            z, w = recv(comm, other, delegate_variable=z), z
            (z,) = pseudo_connect(send(w, comm, other), z)
        z.sum().backward(enable_double_backprop=True)
        gx = x.grad_var
        x.cleargrad()
        gx.sum().backward()
        return float(gx.array.mean()), float(x.grad.mean())
    finally:
        comm.finalize()


def without_errors(found):
    for of_rank in found:
        if isinstance(of_rank, BaseException):
            raise of_rank
    return found


@pytest.mark.parametrize("size", [2, 3])
def test_a_ring(rank_pool, size: int) -> None:
    assert without_errors(rank_pool(size).run((__file__, "ring_of_links")))[0] == 2.0 ** (2 * size + 1)


@pytest.mark.parametrize("size", [2, 3])
def test_all_functions(rank_pool, size: int) -> None:
    found = without_errors(rank_pool(size).run((__file__, "all_functions")))
    # On the root y is the sum of all squares times the size; every rank's loss is that.
    assert found == [(2.0 * (rank + 1) * size**2, 2.0 * size**2) for rank in range(size)]
