"""Sizes and constants."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_inference.constants import Constants
from renga_inference.sizes import Differs, Size, agree, value_at


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
