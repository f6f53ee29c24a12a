"""Averages of values over time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.graph import Variable
from renga_serializers.npz import DictionarySerializer, NpzDeserializer
from renga_training.summary import DictSummary, Summary

finite = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(finite, st.floats(0.1, 10)), min_size=1))
def test_weighted_statistics(pairs):
    summary = Summary()
    for value, weight in pairs:
        summary.add(value, weight)
    values, weights = np.array(pairs).T
    mean, std = summary.make_statistics()
    expected = np.average(values, weights=weights)
    scale = 1e-12 + abs(values).max()
    assert mean == summary.compute_mean() == pytest.approx(expected, abs=1e-9 * scale)
    assert std == pytest.approx(np.sqrt(np.average((values - expected) ** 2, weights=weights)), abs=1e-6 * scale)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32, np.bool])
def test_sums_are_float64_whatever_comes(dtype):
    summary = Summary()
    for _ in range(70000):
        summary.add(dtype(1))
    assert summary.compute_mean() == 1.0


def test_summary_of_arrays_and_variables():
    summary = Summary()
    summary.add(np.array([1.0, 2.0]))
    summary.add(Variable(np.array([3.0, 2.0])))
    mean, std = summary.make_statistics()
    assert mean.tolist() == [2, 2]
    assert std.tolist() == [1, 0]


observations = st.lists(  # of integers, whose sums are exact
    st.dictionaries(st.sampled_from("abc"), st.integers(-1000, 1000), max_size=3), max_size=5
)


@given(first=observations, second=observations)
def test_merged_is_as_if_one_summary_had_got_all(first, second):
    whole, parts = DictSummary(), [DictSummary(), DictSummary()]
    for part, given_to_it in zip(parts, [first, second], strict=True):
        for observation in given_to_it:
            part.add(observation)
            whole.add(observation)
    before = parts[1].make_statistics()
    parts[0].merge(parts[1])
    assert parts[0].make_statistics() == whole.make_statistics()
    assert parts[1].make_statistics() == before


def test_nothing_added():
    with pytest.raises(ValueError, match="nothing was added"):
        Summary().compute_mean()
    assert DictSummary().compute_mean() == {}


def test_adding_keeps_no_hold_of_the_array():
    summary = Summary()
    value = np.array(1.0)
    summary.add(value)
    value[...] = 100
    assert summary.compute_mean() == 1.0


def test_dict_summary_takes_scalars_with_weights_and_passes_over_the_rest():
    summary = DictSummary()
    summary.add({"a": 1, "b": np.float32(2), "text": "x", "array": np.zeros(2), "list": [1], "none": None})
    summary.add({"a": (np.array(4.0), 3), "c": Variable(np.array(5.0))})
    assert summary.compute_mean() == {"a": 13 / 4, "b": 2, "c": 5}
    assert set(summary.make_statistics()) == {"a", "a.std", "b", "b.std", "c", "c.std"}


def test_nan_shows_and_spoils_only_its_own_key():
    summary = DictSummary()
    summary.add({"a": float("nan"), "b": 1.0})
    summary.add({"a": 1.0, "b": 1.0})
    mean = summary.compute_mean()
    assert np.isnan(mean["a"])
    assert mean["b"] == 1
    assert np.isnan(summary.make_statistics()["a.std"])


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["a", "main/b", "c d"]), st.floats(width=32, allow_infinity=False), max_size=3)
    ),
    st.data(),
)
def test_saved_in_the_middle_it_ends_the_same(observations, data):
    cut = data.draw(st.integers(0, len(observations)))
    whole, first = DictSummary(), DictSummary()
    for observation in observations:
        whole.add({key: np.float32(value) for key, value in observation.items()})
    for observation in observations[:cut]:
        first.add({key: np.float32(value) for key, value in observation.items()})
    target = {}
    DictionarySerializer(target).save(first)
    rest = DictSummary()
    rest.add({"other": 1.0})
    NpzDeserializer(target).load(rest)
    for observation in observations[cut:]:
        rest.add({key: np.float32(value) for key, value in observation.items()})
    expected, found = whole.make_statistics(), rest.make_statistics()
    assert list(found) == list(expected)
    assert np.array(list(found.values())).tobytes() == np.array(list(expected.values())).tobytes()
