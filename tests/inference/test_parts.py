"""Memory and sizes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_inference.constants import Constants
from renga_inference.memory import Needed, packed
from renga_inference.sizes import Differs, Size, agree, value_at

PIECES = st.lists(
    st.builds(
        lambda size, first, length: Needed(size, first, first + length),
        st.integers(1, 500),
        st.integers(0, 20),
        st.integers(0, 5),
    ),
    max_size=20,
)


@given(PIECES)
def test_what_is_needed_at_the_same_time_does_not_overlap(pieces):
    begins, size = packed(pieces)
    for i, (a, begin) in enumerate(zip(pieces, begins, strict=True)):
        assert begin % 64 == 0
        assert begin + a.size <= size
        for b, other in list(zip(pieces, begins, strict=True))[:i]:
            apart = begin + a.size <= other or other + b.size <= begin
            assert apart or a.last < b.first or b.last < a.first
    assert size <= sum(-(-piece.size // 64) * 64 for piece in pieces)


def test_places_are_used_again():
    chain = [Needed(100, step, step + 1) for step in range(10)]
    assert packed(chain)[1] == 228


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(1, 9))
def test_numbers_that_follow_from_the_batch_are_found(slope, offset, batch):
    sizes = (4, 2, 3)
    values = [{"shape": (slope * n + offset, 7), "axis": slice(None, n), "name": "x"} for n in sizes]
    found = value_at(agree(values, sizes), batch)
    assert found == {"shape": (slope * batch + offset, 7), "axis": slice(None, batch), "name": "x"}


@pytest.mark.parametrize(
    ("values", "batches"),
    [((4, 5, 5), (4, 2, 3)), ((8, 4, 7), (4, 2, 3)), ((1.0, 2.0), (1, 2)), (("a", "b"), (1, 2)), ((1, 1.0), (1, 2))],
)
def test_others_differ(values, batches):
    with pytest.raises(Differs):
        agree(values, batches)


def test_without_other_batches_no_number_may_differ():
    assert agree([3, 3], (2, 2)) == 3
    with pytest.raises(Differs):
        agree([3, 4], (2, 2))
    assert agree([Size(1, 0), Size(1, 0)], (2, 2)) == Size(1, 0)


def test_constants_belong_to_the_model_until_they_are_owned():
    model, other = np.arange(3.0), np.ones(2, np.float32)
    constants = Constants({1: model, 2: other}, foreign=True)
    constants.add(3, (2,), lambda: constants[2] * 2)
    constants.give(2, lambda: np.full(2, 5, np.float32))
    kept = constants.only({1, 3}).copy()
    kept.own_all()
    model[0] = 7
    assert [list(array) for array in kept.values()] == [[0, 1, 2], [10, 10]]
    assert kept.own(1) is kept[1]
    assert (constants.shown(3).shape, constants.shown(3).dtype) == ((2,), np.float32)
    assert {number: list(array) for number, array in pickle.loads(pickle.dumps(constants)).items()} == {
        1: [7, 1, 2],
        2: [5, 5],
        3: [10, 10],
    }
