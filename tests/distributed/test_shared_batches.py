"""Batches that ranks share: together they are the batches of one process."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_core.communicator import MismatchError
from renga_data.iterators import MultiprocessIterator, MultithreadIterator, SerialIterator
from renga_distributed.threads import launch
from renga_serializers.npz import DictionarySerializer, NpzDeserializer


def join(lists):
    return list(chain.from_iterable(lists))


@settings(max_examples=30)
@given(
    ranks=st.integers(1, 4),
    n=st.integers(4, 20),
    batch_size=st.integers(4, 9),
    shuffle=st.booleans(),
    kind=st.sampled_from([SerialIterator, MultithreadIterator]),
)
def test_all_ranks_together_give_the_batches_of_one(ranks, n, batch_size, shuffle, kind):
    def program(communicator):
        with kind(range(n), batch_size, shuffle=shuffle, seed=5, communicator=communicator) as iterator:
            return [(next(iterator), iterator.epoch_detail, iterator.is_new_epoch) for _ in range(7)]

    reference = SerialIterator(range(n), batch_size, shuffle=shuffle, seed=5)
    for parts in zip(*launch(program, ranks), strict=True):
        assert join(batch for batch, _, _ in parts) == next(reference)
        assert max(len(batch) for batch, _, _ in parts) - min(len(batch) for batch, _, _ in parts) <= 1
        assert {part[1:] for part in parts} == {(reference.epoch_detail, reference.is_new_epoch)}


def test_without_a_seed_that_of_rank_0_holds():
    def program(communicator):
        iterator = SerialIterator(range(12), 4, communicator=communicator)
        return [next(iterator) for _ in range(3)]

    batches = join(join(parts) for parts in launch(program, 3))
    assert sorted(batches) == list(range(12))


def test_one_epoch_with_a_short_last_batch():
    def program(communicator):
        return list(SerialIterator(range(9), 4, repeat=False, shuffle=False, communicator=communicator))

    assert launch(program, 2) == [[[0, 1], [4, 5], [8]], [[2, 3], [6, 7], []]]


@pytest.mark.parametrize(("before", "after"), [(2, 3), (3, 1), (1, 4)])
def test_another_number_of_ranks_goes_on_in_the_middle_of_an_epoch(before, after):
    def begin(communicator):
        iterator = SerialIterator(range(10), 4, seed=1, communicator=communicator)
        next(iterator), next(iterator)
        iterator.serialize(serializer := DictionarySerializer())
        return serializer.target

    def go_on(communicator):
        iterator = SerialIterator(range(10), 4, seed=2, communicator=communicator)
        iterator.serialize(NpzDeserializer(saved))
        return [next(iterator) for _ in range(5)]

    saved = launch(begin, before)[-1]
    reference = SerialIterator(range(10), 4, seed=1)
    next(reference), next(reference)
    parts = launch(go_on, after)
    for number in range(5):
        assert join(part[number] for part in parts) == next(reference)


class Noise:
    """Examples with a random part, drawn where workers seed it."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        from renga_core import random
        from renga_core.backend import get_backend

        return index, float(random.generator(get_backend("numpy")).random())


def test_workers_draw_for_an_example_what_they_draw_for_one_process():
    def program(communicator):
        with MultiprocessIterator(Noise(), 4, n_processes=1, seed=3, communicator=communicator) as iterator:
            return [next(iterator) for _ in range(3)]

    first, second = launch(program, 2)
    with MultiprocessIterator(Noise(), 4, n_processes=1, seed=3) as iterator:
        assert [a + b for a, b in zip(first, second, strict=True)] == [next(iterator) for _ in range(3)]


def test_ranks_that_differ_are_refused_everywhere():
    def program(communicator):
        with pytest.raises(MismatchError, match="'examples': 11"):
            SerialIterator(range(10 + communicator.rank), 4, communicator=communicator)

    launch(program, 2)


def test_a_batch_that_is_too_small_is_refused():
    def program(communicator):
        with pytest.raises(ValueError, match="a batch of 2 examples cannot be shared by 3 ranks"):
            SerialIterator(range(10), 2, communicator=communicator)

    launch(program, 3)


def test_seek():
    iterator = SerialIterator(range(10), 3, seed=1)
    iterator.seek(2.75)
    assert (iterator.epoch, iterator.current_position, iterator.previous_epoch_detail) == (2, 7, 2.75)
    rest = next(iterator)
    assert len(set(rest)) == 3
    assert (iterator.epoch, iterator.is_new_epoch) == (3, True)
    for fraction in np.linspace(0, 1, 11)[:-1]:
        iterator.seek(1 + fraction)
        assert iterator.current_position == round(10 * fraction)
