import pytest

from renga_data.datasets import DictDataset


def test_examples_are_dictionaries():
    dataset = DictDataset(x=[1, 2, 3], t="abc")
    assert len(dataset) == 3
    assert dataset[1] == {"x": 2, "t": "b"}
    assert dataset[[2, 0]] == [{"x": 3, "t": "c"}, {"x": 1, "t": "a"}]


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"\{'x': 3, 't': 2\}"):
        DictDataset(x=[1, 2, 3], t=[1, 2])
    with pytest.raises(ValueError, match="at least one"):
        DictDataset()
