"""Which examples are for testing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.errors import RengaError
from renga_data.preprocessing import Split, split_indices


@given(st.integers(5, 200), st.sampled_from([0.2, 0.25, 0.5]), st.integers(0, 5), st.booleans())
def test_each_example_is_in_one_part(number, ratio, seed, stratified):
    classes = [i % 2 for i in range(number)] if stratified else None
    train, test = split_indices(number, ratio, seed, classes)
    assert sorted([*train, *test]) == [*range(number)]
    assert len(test) == round(number * ratio)
    again = split_indices(number, ratio, seed, classes)
    assert all(map(np.array_equal, (train, test), again))


def test_each_class_has_its_share():
    classes = [0] * 80 + [1] * 20
    _, test = split_indices(100, 0.2, 3, classes)
    assert np.bincount(np.array(classes)[test]).tolist() == [16, 4]
    assert not np.array_equal(test, split_indices(100, 0.2, 4, classes)[1])


@pytest.mark.parametrize(("number", "ratio"), [(10, 0.0), (10, 1.0), (1, 0.5), (2, 0.1)])
def test_nothing_left(number, ratio):
    with pytest.raises(RengaError, match="test_ratio"):
        split_indices(number, ratio, 0)


def test_a_split_is_a_pair():
    train, test = pair = Split([1], [2], "how")
    assert (train, test, pair.preprocessing) == ([1], [2], "how")
    assert pair == ([1], [2])
