import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_data.datasets import ConcatenatedDataset


@given(st.lists(st.lists(st.integers()), max_size=5))
def test_indexes_as_the_joined_list_does(parts):
    joined = [x for part in parts for x in part]
    dataset = ConcatenatedDataset(*parts)
    assert len(dataset) == len(joined)
    assert [dataset[i] for i in range(-len(joined), len(joined))] == joined + joined
    assert dataset[::-1] == joined[::-1]
    for i in (len(joined), -len(joined) - 1):
        with pytest.raises(IndexError):
            dataset[i]
