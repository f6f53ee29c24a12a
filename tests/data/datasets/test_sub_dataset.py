import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core import random
from renga_data.datasets import (
    SubDataset,
    get_cross_validation_datasets,
    get_cross_validation_datasets_random,
    split_dataset,
    split_dataset_n,
    split_dataset_n_random,
    split_dataset_random,
)

seeds = st.integers(0, 2**32 - 1)


@given(st.data())
def test_a_part_indexes_as_a_slice_does(data):
    whole = data.draw(st.lists(st.integers()))
    finish = data.draw(st.integers(0, len(whole)))
    start = data.draw(st.integers(0, finish))
    order = data.draw(st.none() | st.permutations(range(len(whole))))
    expected = (whole if order is None else [whole[i] for i in order])[start:finish]
    part = SubDataset(whole, start, finish, order)
    assert list(part) == expected
    assert [part[i] for i in range(-len(expected), 0)] == expected
    for i in (len(expected), -len(expected) - 1):
        with pytest.raises(IndexError):
            part[i]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((-1, 2), "positions -1 to 2"), ((0, 4), "positions 0 to 4"), ((2, 1), "2 to 1"), ((0, 1, [0]), "1 indices")],
)
def test_bad_parts(arguments, message):
    with pytest.raises(ValueError, match=message):
        SubDataset([1, 2, 3], *arguments)


def test_split():
    first, second = split_dataset("abcde", 2)
    assert (list(first), list(second)) == (["a", "b"], ["c", "d", "e"])
    first, second = split_dataset("abcde", 2, order=[4, 3, 2, 1, 0])
    assert (list(first), list(second)) == (["e", "d"], ["c", "b", "a"])
    for at in (-1, 6):
        with pytest.raises(ValueError, match=f"5 examples at {at}"):
            split_dataset("abcde", at)


@given(st.integers(0, 20), st.data(), seeds)
def test_random_split_is_a_partition_that_the_seed_decides(n, data, seed):
    size = data.draw(st.integers(0, n))
    first, second = split_dataset_random(range(n), size, seed)
    assert len(first) == size
    assert sorted([*first, *second]) == list(range(n))
    assert list(split_dataset_random(range(n), size, seed)[0]) == list(first)


def test_random_split_is_frozen():
    # Computed with NumPy's RandomState(0), whose stream never changes.
    assert list(split_dataset_random(range(10), 4, seed=0)[0]) == [2, 8, 4, 9]


def test_random_splits_follow_renga_random():
    random.seed(3)
    splits = [list(split_dataset_random(range(50), 25)[0]) for _ in range(2)]
    random.seed(3)
    assert [list(split_dataset_random(range(50), 25)[0]) for _ in range(2)] == splits
    assert splits[0] != splits[1]


@given(st.integers(0, 20), st.integers(1, 6), st.none() | seeds)
def test_split_in_n(n, parts, seed):
    split = split_dataset_n(range(n), parts) if seed is None else split_dataset_n_random(range(n), parts, seed)
    assert [len(part) for part in split] == [n // parts] * parts
    used = [x for part in split for x in part]
    assert len(set(used)) == len(used) == n // parts * parts
    assert seed is not None or used == list(range(len(used)))


@given(st.integers(1, 20), st.data(), st.none() | seeds)
def test_cross_validation(n, data, seed):
    n_folds = data.draw(st.integers(1, n))
    if seed is None:
        pairs = get_cross_validation_datasets(range(n), n_folds)
    else:
        pairs = get_cross_validation_datasets_random(range(n), n_folds, seed)
    assert len(pairs) == n_folds
    validated = [x for _, validation in reversed(pairs) for x in validation]
    assert sorted(validated) == list(range(n))
    assert seed is not None or validated == list(range(n))
    for train, validation in pairs:
        assert sorted([*train, *validation]) == list(range(n))
    sizes = [len(validation) for _, validation in pairs]
    assert max(sizes) - min(sizes) <= 1


def test_cross_validation_in_an_order():
    pairs = get_cross_validation_datasets("abcdef", 3, order=np.array([3, 1, 0, 2, 5, 4]))
    last, middle, first = [("".join(train), "".join(validation)) for train, validation in pairs]
    # What is trained on goes on behind the validation set, and round.
    assert (first, middle, last) == (("acfe", "db"), ("fedb", "ac"), ("dbac", "fe"))


@pytest.mark.parametrize("n_folds", [0, 5])
def test_bad_number_of_folds(n_folds):
    with pytest.raises(ValueError, match=f"n_folds must be 1 to 4 .*, not {n_folds}"):
        get_cross_validation_datasets("abcd", n_folds)


def test_bad_number_of_parts():
    with pytest.raises(ValueError, match="n must be at least 1, not 0"):
        split_dataset_n("abcd", 0)
