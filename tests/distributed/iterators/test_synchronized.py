"""Whether all ranks take the same examples."""

import numpy as np
import pytest

from renga_core.communicator import MismatchError
from renga_data.iterators import MultithreadIterator, SerialIterator, ShuffleOrderSampler
from renga_distributed.iterators import create_synchronized_iterator
from renga_distributed.threads import launch
from renga_serializers.npz import DictionarySerializer, NpzDeserializer


def batches(iterator, count=9):
    return [next(iterator) for _ in range(count)]


@pytest.mark.parametrize("make", [SerialIterator, MultithreadIterator])
def test_one_order_on_all_ranks(make):
    def program(comm):
        mine = make(range(10 * comm.rank, 10 * comm.rank + 7), 3, seed=comm.rank)
        return [[i - 10 * comm.rank for i in batch] for batch in batches(create_synchronized_iterator(mine, comm))]

    first, *others = launch(program, 3)
    assert others == [first] * 2
    assert first == batches(make(range(7), 3, seed=0))


def test_rank_0_need_not_be_at_the_start():
    def program(comm):
        iterator = SerialIterator(range(7), 3, seed=comm.rank)
        batches(iterator, 4 if comm.rank == 0 else 1)
        create_synchronized_iterator(iterator, comm)
        return iterator.epoch, batches(iterator)

    first, second = launch(program, 2)
    assert first == second
    assert first[0] == 1


def test_reset_and_resume_keep_them_together():
    def program(comm):
        iterator = create_synchronized_iterator(SerialIterator(range(7), 3, seed=comm.rank), comm)
        batches(iterator)
        iterator.reset()
        file = {}
        DictionarySerializer(file).save(iterator)
        before = batches(iterator)
        resumed = SerialIterator(range(7), 3, seed=9)
        NpzDeserializer(file).load(resumed)
        return before, batches(resumed)

    first, second = launch(program, 2)
    assert first == second
    assert first[0] == first[1]


@pytest.mark.parametrize("kind", [np.random.RandomState, np.random.default_rng])
def test_samplers_with_a_generator_of_the_users(kind):
    def program(comm):
        sampler = ShuffleOrderSampler(kind(comm.rank))
        return batches(create_synchronized_iterator(SerialIterator(range(7), 3, order_sampler=sampler), comm))

    first, second = launch(program, 2)
    assert first == second


def test_without_shuffling():
    def program(comm):
        return batches(create_synchronized_iterator(SerialIterator(range(4), 3, shuffle=False), comm), 2)

    assert launch(program, 2) == [[[0, 1, 2], [3, 0, 1]]] * 2


@pytest.mark.parametrize(
    "differ",
    [
        lambda rank: SerialIterator(range(7 + rank), 3),
        lambda rank: SerialIterator(range(7), 3 + rank),
        lambda rank: SerialIterator(range(7), 3, shuffle=rank == 0),
        lambda rank: [SerialIterator, MultithreadIterator][rank](range(7), 3),
    ],
)
def test_iterators_that_differ(differ):
    with pytest.raises(MismatchError):
        launch(lambda comm: create_synchronized_iterator(differ(comm.rank), comm), 2)


def test_iterators_without_an_order():
    with pytest.raises(ValueError, match="create_multi_node_iterator"):
        launch(lambda comm: create_synchronized_iterator(iter([[1], [2]]), comm), 2)
