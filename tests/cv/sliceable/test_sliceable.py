"""Data sets that can be sliced, against lists and tuples."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_cv.sliceable.concatenated_dataset import ConcatenatedDataset
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.sliceable.sliceable_dataset import SliceableDataset
from renga_cv.sliceable.transform_dataset import TransformDataset
from renga_cv.sliceable.tuple_dataset import TupleDataset


class Pictures(GetterDataset):
    """Elements a; b and c from one getter. It counts the calls of each."""

    def __init__(self, size=6):
        super().__init__()
        self.size = size
        self.calls = []
        self.add_getter("a", self.get_a)
        self.add_getter(("b", "c"), self.get_bc)

    def __len__(self):
        return self.size

    def get_a(self, i):
        self.calls.append(("a", i))
        return 10 * i

    def get_bc(self, i):
        self.calls.append(("bc", i))
        return 10 * i + 1, 10 * i + 2


@settings(max_examples=60, deadline=None)
@given(
    rows=st.one_of(
        st.slices(6),
        st.lists(st.integers(-6, 5)),
        st.lists(st.booleans(), min_size=6, max_size=6),
    ),
    columns=st.lists(st.sampled_from([0, 1, 2, -1, "a", "b", "c"]), max_size=4),
    then=st.slices(3),
)
def test_slice_of_a_slice(rows, columns, then):
    numbers = ["abc".index(c) if isinstance(c, str) else c for c in columns]
    if isinstance(rows, slice):
        picked = range(6)[rows]
    else:
        picked = np.arange(6)[np.array(rows, bool if rows and isinstance(rows[0], bool) else int)].tolist()
    expected = [tuple(10 * i + n % 3 for n in numbers) for i in picked]
    view = Pictures().slice[rows, columns]
    assert len(view) == len(expected)
    assert view.keys == tuple("abc"[n] for n in numbers)
    assert view[:] == expected
    again = view.slice[then]
    assert again[:] == expected[then]
    assert list(again) == expected[then]
    if numbers:
        assert view.slice[:, 0][:] == [example[0] for example in expected]


def test_only_what_is_asked_for_is_computed_and_only_once():
    dataset = Pictures()
    assert dataset[4] == (40, 41, 42)
    assert dataset.calls == [("a", 4), ("bc", 4)]
    dataset.calls.clear()
    assert dataset.slice[1:, ("c", "b", "c")][0] == (12, 11, 12)
    assert dataset.slice[:, "a"][-1] == 50
    assert dataset.calls == [("bc", 1), ("a", 5)]


def test_keys_can_be_set():
    dataset = Pictures()
    assert dataset.keys == ("a", "b", "c")
    dataset.keys = ("c", 0)
    assert (dataset.keys, dataset[1]) == (("c", "a"), (12, 10))
    assert dataset.slice[:, 0].keys == "c"
    dataset.keys = "b"
    assert (dataset.keys, dataset[1], dataset.slice[2:].keys) == ("b", 11, "b")
    assert dataset.slice[[5, 0]][:] == [51, 1]
    assert dataset.calls[-1] == ("bc", 0)
    dataset.add_getter(["d", "e"], lambda i: (i, -i))
    dataset.keys = ["e", "a"]
    assert dataset[2] == (-2, 20)


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (lambda d: d.slice[:, "d"], KeyError, "'a', 'b', 'c'"),
        (lambda d: d.slice[:, ("a", None)], KeyError, "None"),
        (lambda d: d.slice[:, 3], IndexError, "3"),
        (lambda d: d.slice[[6]], IndexError, "6"),
        (lambda d: d.slice[[True]], IndexError, "mask"),
        (lambda d: d.slice[0], IndexError, r"dataset\[i\]"),
        (lambda d: d[6], IndexError, "example 6"),
        (lambda d: d[-7], IndexError, "example -7"),
        (lambda d: setattr(d, "keys", ("a", "x")), KeyError, "'x'"),
    ],
)
def test_what_is_not_there(wrong, error, said):
    dataset = Pictures()
    with pytest.raises(error, match=said):
        wrong(dataset)
    assert (dataset.keys, dataset.calls) == (("a", "b", "c"), [])


def test_views_can_be_sent_to_processes():
    view = pickle.loads(pickle.dumps(Pictures().slice[::2, ("b", "a")]))
    assert view[:] == [(1, 0), (21, 20), (41, 40)]


def test_tuple():
    pictures = Pictures(3)
    dataset = TupleDataset(
        pictures, ("name", ["x", "y", "z"]), np.arange(3), pictures.slice[:, "b"], ("whole", pictures)
    )
    assert dataset.keys == ("a", "b", "c", "name", None, "b", "whole")
    assert dataset[1] == (10, 11, 12, "y", 1, 11, (10, 11, 12))
    pictures.calls.clear()
    assert dataset.slice[:, ("name", 4)][:] == [("x", 0), ("y", 1), ("z", 2)]
    assert pictures.calls == []
    assert dataset.slice[:, ("c", "a", "c")][0] == (2, 0, 2)
    assert pictures.calls == [("bc", 0), ("a", 0)]
    with pytest.raises(ValueError, match=r"\[3, 2\]"):
        TupleDataset(pictures, [1, 2])
    with pytest.raises(ValueError, match="at least one"):
        TupleDataset()


def test_concatenated():
    first, second = Pictures(2), Pictures(3)
    dataset = ConcatenatedDataset(first, Pictures(0), second)
    assert (len(dataset), dataset.keys) == (5, ("a", "b", "c"))
    assert dataset.slice[1:, "a"][:] == [10, 0, 10, 20]
    assert dataset[-1] == (20, 21, 22)
    assert ConcatenatedDataset(first.slice[:, "c"], second.slice[:, "c"])[:] == [2, 12, 2, 12, 22]
    for others in ((first, first.slice[:, ("a", "b")]), (first.slice[:, "a"], first.slice[:, ("a",)]), ()):
        with pytest.raises(ValueError, match="ConcatenatedDataset"):
            ConcatenatedDataset(*others)


def test_transform():
    pictures = Pictures(3)
    dataset = TransformDataset(pictures, ("sum", "a"), lambda example: (sum(example), example[0]))
    assert pictures.calls == []
    assert (len(dataset), dataset.keys, dataset[2]) == (3, ("sum", "a"), (63, 20))
    assert dataset.slice[:, "sum"][:] == [3, 33, 63]
    alone = TransformDataset([1, 2], "x", lambda x: -x)
    assert (alone.keys, alone[:]) == ("x", [-1, -2])
    without = TransformDataset([1, 2], lambda x: (x, -x))
    assert (without.keys, without[1], without.slice[:, 1][:]) == ((None, None), (2, -2), [-1, -2])
    assert (TransformDataset([1, 2], abs).keys, TransformDataset([1, 2], abs)[0]) == (None, 1)
    with pytest.raises(TypeError, match="a function, not 'x'"):
        TransformDataset([1], "x")


def test_a_base_class_says_what_is_missing():
    class Nothing(SliceableDataset):
        pass

    for ask in (lambda d: d.keys, lambda d: d.get_example_by_keys(0, (0,)), len):
        with pytest.raises(NotImplementedError, match="Nothing does not define"):
            ask(Nothing())
