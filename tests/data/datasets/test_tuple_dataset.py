import numpy as np
import pytest

from renga_data.datasets import TupleDataset


def test_examples_are_tuples():
    dataset = TupleDataset(np.arange(6).reshape(3, 2), ["a", "b", "c"])
    assert len(dataset) == 3
    x, name = dataset[1]
    assert (x.tolist(), name) == ([2, 3], "b")
    assert [name for _, name in dataset[::-1]] == ["c", "b", "a"]
    assert [name for _, name in dataset] == ["a", "b", "c"]


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"\[3, 2\]"):
        TupleDataset([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="at least one"):
        TupleDataset()
