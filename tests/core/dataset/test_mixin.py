import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.dataset import DatasetMixin


class Squares(DatasetMixin):
    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def get_example(self, i: int) -> int:
        assert type(i) is int  # data sets may look examples up in dictionaries or files
        if i >= self.n:
            raise IndexError
        return i * i


bounds = st.none() | st.integers(-12, 12)


@given(st.integers(0, 8), bounds, bounds, st.none() | st.integers(-3, 3).filter(bool))
def test_slices_are_those_of_a_list(n, start, stop, step):
    assert Squares(n)[start:stop:step] == [i * i for i in range(n)][start:stop:step]


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda x: np.array(x, np.uint8)])
def test_list_of_indices(kind):
    assert Squares(5)[kind([3, 0, 3])] == [9, 0, 9]


def test_empty_list_of_indices():
    assert Squares(5)[[]] == []


def test_mask():
    assert Squares(3)[np.array([True, False, True])] == [0, 4]


def test_single_index():
    assert Squares(5)[3] == 9
    assert Squares(5)[np.int64(3)] == 9
    assert Squares(5)[np.array(3)] == 9


def test_a_loop_ends():
    assert list(Squares(3)) == [0, 1, 4]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ([[1, 2]], "one dimension"),
        ([0.5], "integers"),
        (np.array([True]), "mask of 1 entries does not fit a data set of 5"),
    ],
)
def test_bad_indices(index, message):
    with pytest.raises(IndexError, match=message):
        Squares(5)[index]


@pytest.mark.parametrize("mistake", [IndexError, StopIteration])
def test_an_error_by_mistake_ends_no_loop(mistake):
    class Wrong(DatasetMixin):
        def __len__(self):
            return 5

        def get_example(self, i):
            if i == 2:
                raise mistake("by mistake")
            return i

    seen = []
    with pytest.raises((IndexError, RuntimeError), match=r"by mistake|StopIteration"):
        seen.extend(Wrong())
    assert seen == [0, 1]


def test_indexing_of_ones_own_needs_no_get_example():
    class Tens(DatasetMixin):
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return index * 10

    assert list(Tens()) == [0, 10, 20]
    with pytest.raises(NotImplementedError, match=r"Tens does not define get_example\(i\)"):
        Tens().get_example(0)
