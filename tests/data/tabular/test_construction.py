import numpy as np
import pytest

from renga_backend_array_api import StandardArray, StandardBackend
from renga_core.backend import get_backend
from renga_core.backend.lookup import array_types
from renga_data.tabular import from_data


def test_columns_alone():
    assert list(from_data([3, 4])) == [3, 4]
    assert from_data(np.array([3, 4])).fetch().tolist() == [3, 4]
    assert from_data(("x", [3, 4])).keys == ("x",)
    squares = from_data(("x", lambda i: i * i), size=4)
    assert squares.fetch() == [0, 1, 4, 9]
    assert squares.slice[[3, 1]].fetch() == [9, 1]


def test_tuples_and_dictionaries():
    dataset = from_data(([0, 1], ("b", np.array([2, 3])), (("c", "d"), lambda i: {"d": -i, "c": i})))
    assert dataset.keys[1:] == ("b", "c", "d")
    assert dataset[1] == (1, 3, 1, -1)
    dataset = from_data({"a": [0, 1], ("c", "d"): lambda i: (i, -i)})
    assert dataset[1] == {"a": 1, "c": 1, "d": -1}


def test_columns_without_names_have_names_of_their_own():
    column = [1, 2]
    dataset = from_data((column, column)).join(from_data((column,)))
    assert len(set(dataset.keys)) == 3
    assert all(key.startswith("_") for key in dataset.keys)
    assert dataset[0] == (1, 1, 1)


def test_two_texts_are_a_name_and_a_sequence():
    assert list(from_data(("x", "ab"))) == ["a", "b"]


def test_other_sequences():
    assert from_data(range(10)).slice[2:8:3].fetch() == [2, 5]
    assert from_data(range(3)).fetch() == [0, 1, 2]


def test_arrays_of_other_libraries(monkeypatch):
    strict = pytest.importorskip("array_api_strict")

    class StrictArray(StandardArray, library=strict):
        __slots__ = ()

    backend = StandardBackend("strict", StrictArray)
    monkeypatch.setitem(array_types, StrictArray, backend)
    array = backend.asarray(np.arange(12.0).reshape(6, 2))
    dataset = from_data(("x", array)).concat(from_data(("x", array)))
    taken = dataset.slice[[7, 0, 5]].fetch()
    assert get_backend(taken) is backend
    assert backend.to_host(taken).tolist() == [[2, 3], [0, 1], [10, 11]]
    assert backend.to_host(dataset.slice[::-5].fetch()).tolist() == [[10, 11], [0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("data", "size", "error", "message"),
    [
        (lambda i: i, 3, ValueError, "a function needs a name"),
        (("x", lambda i: i), None, ValueError, "`size` is needed for 'x'"),
        (5, None, TypeError, "not int"),
        (("x", 5), None, TypeError, "not int"),
        ((), None, ValueError, "there is no column"),
        (([1], [1, 2]), None, ValueError, r"the same length, not \[1, 2\]"),
        ((("x", [1]), ("x", [2])), None, ValueError, "must not share a key"),
        ({("x", "y"): [1, 2]}, None, ValueError, "several names"),
    ],
)
def test_what_is_no_column(data, size, error, message):
    with pytest.raises(error, match=message):
        from_data(data, size=size)
