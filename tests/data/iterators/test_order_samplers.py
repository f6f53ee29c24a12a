import json

import numpy as np
import pytest

from renga_data.iterators import OrderSampler, SerialIterator, ShuffleOrderSampler
from renga_serializers.npz import DictionarySerializer, NpzDeserializer


@pytest.mark.parametrize(
    "make",
    [
        lambda: 3,
        lambda: np.random.RandomState(3),
        lambda: np.random.Generator(np.random.MT19937(3)),
        lambda: np.random.Generator(np.random.Philox(3)),
        lambda: np.random.Generator(np.random.SFC64(3)),
        lambda: None,
    ],
)
def test_a_state_survives_json(make):
    sampler, other = ShuffleOrderSampler(make()), ShuffleOrderSampler(make())
    order = sampler(np.arange(20), 0)
    state = json.loads(json.dumps(sampler.get_state()))
    expected = sampler(order, 0)
    other(order, 0)
    other.set_state(state)
    assert other(order, 0).tolist() == expected.tolist()


def test_the_same_seed_gives_the_same_order():
    orders = [ShuffleOrderSampler(5)(np.arange(30), 0).tolist() for _ in range(2)]
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == list(range(30))


def test_a_function_is_told_order_and_position():
    calls = []

    def backwards(order, position):
        calls.append((order.tolist(), position))
        return order[::-1]

    iterator = SerialIterator([10, 11, 12, 13, 14], 3, order_sampler=backwards)
    assert [next(iterator) for _ in range(4)] == [[14, 13, 12], [11, 10, 10], [11, 12, 13], [14, 14, 13]]
    assert calls == [([0, 1, 2, 3, 4], 0), ([4, 3, 2, 1, 0], 3), ([0, 1, 2, 3, 4], 4)]


def test_a_batch_of_several_epochs():
    calls = []

    def same(order, position):
        calls.append(position)
        return order

    iterator = SerialIterator([10, 11], 5, order_sampler=same)
    assert [next(iterator) for _ in range(2)] == [[10, 11, 10, 11, 10], [11, 10, 11, 10, 11]]
    # The batch begins at 0; in the epochs that follow, it has been there from their start. Then it begins at 1.
    assert calls == [0, 0, 0, 1, 0, 0]


def test_an_epoch_may_be_a_part_of_the_data_set():
    iterator = SerialIterator(range(10), 2, order_sampler=lambda order, _: np.array([7, 8, 9]))
    assert [next(iterator) for _ in range(3)] == [[7, 8], [9, 7], [8, 9]]
    assert iterator.epoch == 2


def test_epochs_have_one_size():
    sizes = iter([3, 2])
    iterator = SerialIterator(range(10), 3, order_sampler=lambda order, _: np.arange(next(sizes)))
    with pytest.raises(ValueError, match="gave 2 indices after 3"):
        next(iterator)


class Rotation(OrderSampler):
    """Has a state of its own."""

    def __init__(self):
        self.shift = 0

    def __call__(self, current_order, current_position):
        self.shift += 1
        return np.roll(np.arange(len(current_order)), self.shift)

    def get_state(self):
        return {"shift": self.shift}

    def set_state(self, state):
        self.shift = state["shift"]


def test_a_sampler_of_ones_own_is_saved():
    original, resumed = (SerialIterator(range(5), 3, order_sampler=Rotation()) for _ in range(2))
    for _ in range(4):
        next(original)
    serializer = DictionarySerializer()
    serializer.save(original)
    NpzDeserializer(serializer.target).load(resumed)
    assert [next(resumed) for _ in range(6)] == [next(original) for _ in range(6)]
