"""Collective functions beside their derivatives."""

import numpy as np
import pytest

from renga_core.graph import Variable
from renga_distributed.functions import allgather, allreduce, alltoall, bcast, gather, pseudo_connect, scatter
from renga_distributed.single import SingleCommunicator
from renga_distributed.threads import launch


@pytest.mark.parametrize("size", [1, 2, 3])
def test_arrays_of_different_shapes(size) -> None:
    def program(comm):
        x = Variable(np.full((comm.rank, 2), comm.rank + 1.0))
        ys = allgather(comm, x)
        loss = sum((y * y).sum() for y in ys)
        gathered = gather(comm, x, root=0)
        if comm.rank == 0:
            loss += sum(y.sum() for y in gathered)
        else:
            (loss,) = pseudo_connect(gathered, loss)
        loss.backward()
        return [y.shape for y in ys], x.grad

    for rank, (shapes, gx) in enumerate(launch(program, size)):
        assert shapes == [(r, 2) for r in range(size)]
        np.testing.assert_array_equal(gx, np.full((rank, 2), 2.0 * (rank + 1) * size + 1))


def test_only_the_root_gives() -> None:
    def program(comm):
        x = Variable(np.arange(3.0)) if comm.rank == 1 else None
        y = bcast(comm, x, root=1)
        z = scatter(comm, [y, y * 2] if comm.rank == 1 else None, root=1)
        if comm.rank == 0:
            (z,) = pseudo_connect(y, z)  # nobody else uses y here
        z.sum().backward()
        return y.array, z.array, x.grad if comm.rank == 1 else None

    (y0, z0, _), (y1, z1, gx) = launch(program, 2)
    np.testing.assert_array_equal([y0, y1, z0], [np.arange(3.0)] * 3)
    np.testing.assert_array_equal(z1, 2 * np.arange(3.0))
    np.testing.assert_array_equal(gx, [3, 3, 3])


def test_every_rank_takes_part_in_backward_though_one_has_nothing_to_differentiate() -> None:
    def program(comm):
        x = Variable(np.ones(2)) if comm.rank == 0 else np.ones(2)
        ys = [allreduce(comm, x), *allgather(comm, x), *alltoall(comm, [x, x]), bcast(comm, x)]
        sum(y.sum() for y in ys).backward()
        return None if comm.rank else x.grad

    np.testing.assert_array_equal(launch(program, 2)[0], [8, 8])


def test_sums_of_float16_do_not_lose_small_ones() -> None:
    def program(comm):
        x = Variable(np.array([2048.0 if comm.rank == 0 else 1.0], np.float16))
        total = allreduce(comm, x)
        parts = allgather(comm, zeros := Variable(np.zeros(1, np.float16)))
        gradient = np.array([2048.0 if comm.rank == 0 else 1.0], np.float16)
        (parts[0] * gradient).sum().backward()
        return total.array, zeros.grad

    for rank, (total, gx) in enumerate(launch(program, 3)):
        assert total.dtype == gx.dtype == np.float16
        assert total[0] == 2050
        assert gx[0] == (2050 if rank == 0 else 0)


def test_one_process_gets_tuples_too() -> None:
    comm = SingleCommunicator()
    x = Variable(np.ones(2))
    for ys in (allgather(comm, x), alltoall(comm, [x]), gather(comm, x)):
        assert (type(ys), len(ys)) == (tuple, 1)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda c, x: bcast(c, x, root=1), "bcast: root is 1; the group has ranks 0 to 0"),
        (lambda c, x: gather(c, x, root=-1), "gather: root is -1"),
        (lambda c, x: scatter(c, [x], root=2), "scatter: root is 2"),
        (lambda c, x: scatter(c, [x, x]), "one variable for each of 1 ranks; 2 were given"),
        (lambda c, x: scatter(c, None), "scatter: xs is a tuple or list .* this is NoneType"),
        (lambda c, x: alltoall(c, [x, x]), "alltoall: .* 2 were given"),
        (lambda c, x: alltoall(c, x), "alltoall: .* this is ndarray"),
    ],
)
def test_wrong_calls(call, told) -> None:
    with pytest.raises(ValueError, match=told):
        call(SingleCommunicator(), np.ones(2))
