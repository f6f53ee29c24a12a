import copy
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core import random
from renga_core.serializers.errors import FileMismatched
from renga_data.iterators import SerialIterator, ShuffleOrderSampler
from renga_serializers.npz import DictionarySerializer, NpzDeserializer, load_npz, save_npz

sizes = st.integers(1, 12)
batch_sizes = st.integers(1, 30)
seeds = st.integers(0, 2**63)


def state(iterator):
    return (
        iterator.current_position,
        iterator.epoch,
        iterator.is_new_epoch,
        iterator.epoch_detail,
        iterator.previous_epoch_detail,
    )


def saved(iterator):
    serializer = DictionarySerializer()
    serializer.save(iterator)
    return serializer.target


@given(sizes, batch_sizes, st.integers(1, 10), st.booleans(), seeds)
def test_repeated_epochs_each_have_every_example_once(n, batch_size, batches, shuffle, seed):
    iterator = SerialIterator(range(n), batch_size, shuffle=shuffle, seed=seed)
    stream = []
    for k in range(1, batches + 1):
        batch = next(iterator)
        assert len(batch) == batch_size
        stream += batch
        used = k * batch_size
        assert iterator.epoch == used // n
        assert iterator.is_new_epoch == (used // n > (used - batch_size) // n)
        assert iterator.current_position == used % n
        assert iterator.epoch_detail == pytest.approx(float(Fraction(used, n)))
        assert iterator.previous_epoch_detail == pytest.approx(float(Fraction(used - batch_size, n)))
    for begin in range(0, len(stream) - n + 1, n):
        epoch = stream[begin : begin + n]
        assert sorted(epoch) == list(range(n))
        assert shuffle or epoch == list(range(n))


@pytest.mark.parametrize("name", ["current_position", "epoch", "is_new_epoch", "epoch_detail", "previous_epoch_detail"])
def test_where_it_is_cannot_be_set(name):
    iterator = SerialIterator(range(3), 2)
    next(iterator)
    before = state(iterator)
    with pytest.raises(AttributeError) as caught:
        setattr(iterator, name, 0)
    assert str(caught.value) == (
        f"SerialIterator.{name} is the iterator's position and cannot be set; reset() starts again"
    )
    assert state(iterator) == before
    iterator.reset()
    assert state(iterator) == (0, 0, False, 0.0, None)


@given(st.integers(0, 12), batch_sizes, st.booleans(), seeds)
def test_one_epoch_has_every_example_once(n, batch_size, shuffle, seed):
    iterator = SerialIterator(range(n), batch_size, repeat=False, shuffle=shuffle, seed=seed)
    for _ in range(2):
        batches = list(iterator)
        assert sorted(chain(*batches)) == list(range(n))
        assert all(len(batch) == batch_size for batch in batches[:-1])
        with pytest.raises(StopIteration):
            next(iterator)
        assert (iterator.epoch, iterator.is_new_epoch, iterator.epoch_detail) == (
            (1, True, 1.0) if n else (0, False, 0)
        )
        iterator.reset()
        assert state(iterator) == (0, 0, False, 0.0, None)


@given(sizes, batch_sizes, st.booleans(), st.booleans(), seeds, st.integers(0, 8))
def test_resumed_equals_uninterrupted(n, batch_size, repeat, shuffle, seed, when):
    def make(seed):
        return SerialIterator(range(n), batch_size, repeat, shuffle, seed=seed)

    original, resumed = make(seed), make(seed + 1)
    for _ in range(when):
        next(original, None)
        next(resumed, None)
    next(resumed, None)
    NpzDeserializer(saved(original)).load(resumed)
    assert state(resumed) == state(original)
    for _ in range(8):
        assert next(resumed, None) == next(original, None)
        assert state(resumed) == state(original)


def test_through_a_file(tmp_path):
    original, resumed = SerialIterator(range(10), 3, seed=1), SerialIterator(range(10), 3, seed=2)
    for _ in range(5):
        next(original)
    save_npz(tmp_path / "iterator.npz", original)
    load_npz(tmp_path / "iterator.npz", resumed)
    assert [next(resumed) for _ in range(9)] == [next(original) for _ in range(9)]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: SerialIterator(range(10), 3, shuffle=False), "in no order made by a sampler, this one is in one"),
        (lambda: SerialIterator(range(9), 3, seed=2), r"order is int64 of shape \(9,\) in the file"),
        (
            lambda: SerialIterator(range(10), 3, order_sampler=ShuffleOrderSampler(np.random.RandomState(0))),
            "state must be for a PCG64 RNG",
        ),
    ],
)
def test_a_state_that_does_not_fit_changes_nothing(tmp_path, other, message):
    save_npz(tmp_path / "iterator.npz", other())
    iterator, twin = SerialIterator(range(10), 3, seed=1), SerialIterator(range(10), 3, seed=1)
    next(iterator), next(twin)
    with pytest.raises(FileMismatched, match=message):
        load_npz(tmp_path / "iterator.npz", iterator)
    assert [next(iterator) for _ in range(9)] == [next(twin) for _ in range(9)]


def test_a_position_beyond_the_end_is_refused():
    long, short = SerialIterator(range(10), 9, shuffle=False), SerialIterator(range(5), 3, shuffle=False)
    next(long)
    with pytest.raises(ValueError, match="position 9 is outside a data set of 5 examples"):
        NpzDeserializer(saved(long)).load(short)
    assert state(short) == (0, 0, False, 0.0, None)


@given(sizes, batch_sizes, seeds, st.integers(0, 5))
def test_a_copy_goes_on_by_itself(n, batch_size, seed, when):
    iterator, reference = (SerialIterator(range(n), batch_size, seed=seed) for _ in range(2))
    for _ in range(when):
        next(iterator), next(reference)
    twin = copy.copy(iterator)
    expected = [next(reference) for _ in range(4)]
    assert [next(twin) for _ in range(4)] == expected
    assert [next(iterator) for _ in range(4)] == expected


def test_shuffled_unless_told_otherwise():
    assert next(SerialIterator(range(100), 100, seed=0)) != list(range(100))
    assert next(SerialIterator(range(100), 100, shuffle=True, seed=0)) != list(range(100))


def test_epochs_and_resets_have_new_orders():
    iterator = SerialIterator(range(100), 100, seed=0)
    first, second = next(iterator), next(iterator)
    iterator.reset()
    assert len({tuple(order) for order in (first, second, next(iterator))}) == 3


def test_seeded_by_renga_random():
    def orders():
        return [next(SerialIterator(range(50), 50)) for _ in range(2)]

    random.seed(7)
    first = orders()
    random.seed(7)
    assert orders() == first
    assert first[0] != first[1]


class FailsAt(list):
    fails = True

    def __getitem__(self, index):
        if self.fails and index == 5:
            raise OSError("disk gone")
        return super().__getitem__(index)


@given(seeds)
def test_an_error_of_the_data_set_loses_nothing(seed):
    dataset = FailsAt(range(8))
    iterator, reference = SerialIterator(dataset, 3, seed=seed), SerialIterator(range(8), 3, seed=seed)
    for _ in range(8):
        expected = next(reference)
        if 5 in expected:
            before = state(iterator)
            dataset.fails = True
            with pytest.raises(OSError, match="disk gone") as caught:
                next(iterator)
            assert caught.value.__notes__ == ["This was example 5 of a FailsAt."]
            assert state(iterator) == before
            dataset.fails = False
        assert next(iterator) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, "batch_size must be at least 1, not 0"),
        ({"dataset": []}, "empty"),
        ({"shuffle": True, "order_sampler": ShuffleOrderSampler(0)}, "leave out shuffle and seed"),
        ({"seed": 1, "order_sampler": ShuffleOrderSampler(0)}, "leave out shuffle and seed"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        SerialIterator(**{"dataset": [1, 2], "batch_size": 1, **arguments})


@pytest.mark.parametrize(
    ("dataset", "batch_size", "message"),
    [
        (32, [1, 2], "SerialIterator takes a data set, which has a length and examples by number; given: int"),
        (iter([1, 2]), 1, "given: list_iterator. Next: list"),
        ([1, 2], "1", "batch_size must be a whole number, not '1'"),
        ([1, 2], 100 / 50, r"batch_size must be a whole number, not 2\.0"),
    ],
)
def test_arguments_of_wrong_types(dataset, batch_size, message):
    with pytest.raises(TypeError, match=message):
        SerialIterator(dataset, batch_size)
