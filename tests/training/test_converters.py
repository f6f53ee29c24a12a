"""Converters by name."""

import numpy as np

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
