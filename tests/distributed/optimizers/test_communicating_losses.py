"""Losses that communicate, where another rank would not answer: an error on every rank, and nobody waits for ever."""

import numpy as np
import pytest

import renga.distributed.functions as DF
import renga.functions as F
import renga.links as L
from renga.distributed import create_multi_node_optimizer
from renga.optimizers import SGD
from renga_core.communicator import MismatchError, RankFailed
from renga_distributed.threads import launch


class Stage(L.Linear):
    """One of two: the first sends what it computes, the second receives."""

    def __init__(self, comm, n_in, n_out) -> None:
        super().__init__(n_in, n_out)
        self.comm = comm

    def forward(self, x):
        if self.comm.rank == 0:
            return F.sum(DF.send(super().forward(x), self.comm, 1))
        return F.sum(super().forward(DF.recv(self.comm, 0)))


def train_two_stages(world, *, second_knows_its_size):
    """Ranks 0 and 2 are the first stage of two models, ranks 1 and 3 the second."""
    model_ranks, data_ranks = world.split(world.rank // 2, world.rank), world.split(world.rank % 2, world.rank)
    known = model_ranks.rank == 0 or second_knows_its_size
    stage = Stage(model_ranks, 3 if known else None, 3)
    optimizer = create_multi_node_optimizer(SGD(), data_ranks).setup(stage)
    for _ in range(2):
        optimizer.update(stage, np.ones((2, 3), np.float32))
    return stage.W.array


def test_sizes_that_are_found_by_a_message_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"give the sizes when the links are made, L\.Linear\(n_in, n_out\)"):
        launch(lambda world: train_two_stages(world, second_knows_its_size=False), 4)


def test_sizes_that_are_said_are_not() -> None:
    first, second, also_first, also_second = launch(
        lambda world: train_two_stages(world, second_knows_its_size=True), 4
    )
    np.testing.assert_array_equal(first, also_first)
    np.testing.assert_array_equal(second, also_second)


@pytest.mark.parametrize("options", [{}, {"overlap": True}, {"double_buffering": True}, {"sharded": True}])
def test_a_loss_that_communicates_where_a_rank_has_no_examples(options) -> None:
    def train(comm):
        link = L.Linear(3, 3)

        def loss(x):
            return F.sum(DF.allreduce(comm, link(x)))

        optimizer = create_multi_node_optimizer(SGD(), comm, weighted=True, **options).setup(link)
        for examples in (2, 2, 2 * (1 - comm.rank)):
            optimizer.update(loss, np.ones((examples, 3), np.float32))

    with pytest.raises((MismatchError, RankFailed), match="for which some ranks have no examples"):
        launch(train, 2)


@pytest.mark.parametrize("options", [{}, {"overlap": True}, {"double_buffering": True}, {"sharded": True}])
def test_a_loss_that_does_not_is_well_without_examples(options) -> None:
    def train(comm):
        link = L.Linear(3, 3)
        optimizer = create_multi_node_optimizer(SGD(), comm, weighted=True, **options).setup(link)
        for examples in (2, 2 * (1 - comm.rank), 2):
            optimizer.update(lambda x: F.mean(link(x) ** 2), np.ones((examples, 3), np.float32))
        return link.W.array

    first, second = launch(train, 2)
    np.testing.assert_array_equal(first, second)
