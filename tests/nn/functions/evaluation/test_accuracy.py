import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import accuracy, binary_accuracy
from renga_testing.function_suite import FunctionSuite, without_gradient

REPORT = without_gradient("a measure for reports: no gradient flows through it")


class TestAccuracy(FunctionSuite):
    cases = {"all": {"ignored": None}, "one class left out": {"ignored": 1}}
    bad_inputs = {
        "labels": ((np.zeros((2, 3)), np.zeros(3, int)), InvalidType, ("accuracy", "t", "integers (2,)", "(3,)")),
        "integers": ((np.zeros((2, 3), int), np.zeros(2, int)), InvalidType, ("accuracy", "y", "floating")),
    }
    excluded = REPORT

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((5, 4)).astype(dtype), rng.integers(0, 4, 5)

    def call(self, y, t):
        return accuracy(y, t, self.ignored)

    def reference(self, y, t):
        right = [row.argmax() == label for row, label in zip(y, t, strict=True) if label != self.ignored]
        return sum(right) / max(1, len(right))

    def empty_inputs(self, dtype):
        return np.zeros((0, 4), dtype), np.zeros(0, int)


class TestBinaryAccuracy(FunctionSuite):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3, int)), InvalidType, ("binary_accuracy", "t", "integers", "(2,)", "(3,)")),
        "integers": ((np.zeros(2, int), np.zeros(2, int)), InvalidType, ("binary_accuracy", "y", "floating")),
    }
    excluded = REPORT

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((4, 3)).astype(dtype), rng.integers(-1, 2, (4, 3))

    def call(self, y, t):
        return binary_accuracy(y, t)

    def reference(self, y, t):
        right = [(score >= 0) == (answer == 1) for score, answer in zip(y.flat, t.flat, strict=True) if answer != -1]
        return sum(right) / max(1, len(right))

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros((0, 3), int)


@given(st.data(), st.sampled_from([(5,), (2, 3)]), st.sampled_from([None, -1, 1]))
def test_accuracy_counts(data, rest, ignored):
    y = data.draw(hnp.arrays("f4", (rest[0], 4, *rest[1:]), elements=st.integers(-5, 5)))
    t = data.draw(hnp.arrays("i4", rest, elements=st.integers(-1, 3)))
    right = counted = 0
    for place in np.ndindex(*rest):
        if t[place] != ignored:
            counted += 1
            right += np.argmax(y[(place[0], slice(None), *place[1:])]) == t[place]
    result = accuracy(Variable(y), t, ignored)
    assert result.dtype == "f4"
    assert result.shape == ()
    assert result.item() == pytest.approx(right / max(1, counted))


@given(st.data())
def test_binary_accuracy_counts(data):
    y = data.draw(hnp.arrays("f4", (3, 2), elements=st.integers(-2, 2)))
    t = data.draw(hnp.arrays("i4", (3, 2), elements=st.integers(-1, 1)))
    pairs = [(score >= 0, bool(answer)) for score, answer in zip(y.flat, t.flat, strict=True) if answer != -1]
    expected = sum(a == b for a, b in pairs) / max(1, len(pairs))
    assert binary_accuracy(y, Variable(t)).item() == pytest.approx(expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_dtype(dtype):
    assert accuracy(np.zeros((2, 3), dtype), np.zeros(2, int)).dtype == dtype
    assert binary_accuracy(np.zeros((2, 3), dtype), np.zeros((2, 3), int)).dtype == dtype


def test_half_precision_counts_beyond_its_integers():
    assert accuracy(np.zeros((70_000, 2), "f2"), np.zeros(70_000, int)).item() == 1


def test_no_graph():
    assert accuracy(Variable(np.zeros((2, 3))), np.zeros(2, int)).creator is None


def test_nothing_counts():
    assert accuracy(np.zeros((2, 3)), np.full(2, -1), ignore_label=-1).item() == 0
    assert binary_accuracy(np.zeros(2), np.full(2, -1)).item() == 0
    assert accuracy(np.zeros((0, 3)), np.zeros(0, int)).item() == 0


def test_axes_of_size_1_at_the_end():
    rng = np.random.default_rng(0)
    y, t = rng.random((5, 3, 2)), rng.integers(0, 3, (5, 2))
    assert accuracy(y.reshape(5, 3, 2, 1, 1), t).array == accuracy(y, t).array
    assert accuracy(y.reshape(5, 3, 2, 1), t, 0).array == accuracy(y, t, 0).array


def test_refused():
    with pytest.raises(InvalidType, match=r"accuracy: t: expected integers \(2,\)"):
        accuracy(np.zeros((2, 3)), np.zeros((2, 3), int))
    with pytest.raises(InvalidType, match="accuracy: y: expected a floating dtype"):
        accuracy(np.zeros((2, 3), int), np.zeros(2, int))
    with pytest.raises(InvalidType, match="binary_accuracy: t: expected integers"):
        binary_accuracy(np.zeros(2), np.zeros(2))
