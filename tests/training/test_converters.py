"""Converters by name."""

import numpy as np
import pytest

from renga_data.convert import concat_examples
from renga_training.converters import concat, lists


def test_concat_is_chainers_function():
    assert concat() is concat_examples
    batch = [np.array([1, 2]), np.array([3])]
    np.testing.assert_array_equal(concat(padding=-1)(batch, None), [[1, 2], [3, -1]])


def test_lists_leave_examples_apart():
    xs, names = lists()([(np.array([1, 2]), "a"), (np.array([3]), "b")], "numpy")
    assert [x.tolist() for x in xs] == [[1, 2], [3]]
    assert names == ["a", "b"]
    assert lists()(["not", "arrays"], "numpy") == ["not", "arrays"]
    made = lists()([{"x": np.array([1, 2]), "y": "a"}, {"x": np.array([3]), "y": "b"}], "numpy")
    assert [x.tolist() for x in made["x"]] == [[1, 2], [3]]
    assert made["y"] == ["a", "b"]


def test_lists_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match="lists: example 1 has 3 elements, but example 0 has 2"):
        lists()([(1, 2), (1, 2, 3)])
    with pytest.raises(ValueError, match="lists: the batch is empty"):
        lists()([])
