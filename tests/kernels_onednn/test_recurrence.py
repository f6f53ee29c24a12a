"""Random layers, against the reference in double precision."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_kernels_onednn.recurrence import Recurrence, supports
from renga_nn.functions.rnn.n_step_gru import GRU_CELL
from renga_nn.functions.rnn.n_step_lstm import LSTM_CELL
from renga_nn.functions.rnn.recurrence import RECURRENCE, Walk


def arguments(steps, rows, features, units, dtype=np.float32):
    rng = np.random.default_rng(0)
    shapes = (
        *((steps * rows, features), (4 * units, features), (4 * units,), (4 * units, units), (4 * units,)),
        *((rows, units), (rows, units)),
    )
    return tuple(rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes)


def close(got, right):
    np.testing.assert_allclose(got, right, atol=2e-5 * max(1.0, float(np.abs(right).max(initial=0))))


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(1, 9), st.integers(1, 40), st.integers(1, 40), st.booleans(), st.integers(0, 7))
def test_agrees_with_the_reference(steps, rows, features, units, backwards, arriving):
    inputs = arguments(steps, rows, features, units)
    double = tuple(x.astype(np.float64) for x in inputs)
    walk = Walk(LSTM_CELL, (rows,) * steps, backwards, True)
    assert supports(walk, *inputs)
    *results, kept = Recurrence.forward(walk, *inputs)
    *right, right_kept = RECURRENCE.reference.forward(walk, *double)
    for got, expected in zip(results, right, strict=True):
        close(got, expected)
    rng = np.random.default_rng(1)
    gradients = [rng.uniform(-1, 1, y.shape) if arriving >> k & 1 else None for k, y in enumerate(right)]
    single = [None if g is None else g.astype(np.float32) for g in gradients]
    found = Recurrence.backward(walk, inputs, kept, single)
    expected = RECURRENCE.reference.backward(walk, double, right_kept, gradients)
    for got, gradient, x in zip(found, expected, inputs, strict=True):
        assert got.shape == x.shape
        assert got.dtype == x.dtype
        close(got, gradient)


def test_without_a_graph_the_results_are_the_same_and_nothing_more_is_kept():
    inputs = arguments(3, 2, 4, 5)
    *results, kept = Recurrence.forward(Walk(LSTM_CELL, (2,) * 3, False, False), *inputs)
    *right, with_workspace = Recurrence.forward(Walk(LSTM_CELL, (2,) * 3, False, True), *inputs)
    assert (len(kept), len(with_workspace)) == (3, 4)
    for got, expected in zip(results, right, strict=True):
        close(got, expected)


def test_gradients_do_not_add_up():
    inputs = arguments(3, 2, 20, 30)
    walk = Walk(LSTM_CELL, (2,) * 3, False, True)
    *_, kept = Recurrence.forward(walk, *inputs)
    gys = np.ones((6, 30), np.float32)
    first = Recurrence.backward(walk, inputs, kept, (gys, None, None))
    for got, expected in zip(Recurrence.backward(walk, inputs, kept, (gys, None, None)), first, strict=True):
        close(got, expected)
    assert not np.shares_memory(first[2], first[4])


@pytest.mark.parametrize(
    ("walk", "change"),
    {
        "another cell": (Walk(GRU_CELL, (2,) * 3, False, True), {}),
        "sequences that end": (Walk(LSTM_CELL, (2, 2, 1), False, True), {0: np.zeros((5, 4), "f")}),
        "a sequence without steps": (Walk(LSTM_CELL, (1, 1, 1), False, True), {0: np.zeros((3, 4), "f")}),
        "two dtypes": (Walk(LSTM_CELL, (2,) * 3, False, True), {1: np.zeros((20, 4))}),
    }.values(),
)
def test_what_it_leaves_to_the_reference(walk, change):
    inputs = list(arguments(3, 2, 4, 5))
    assert supports(Walk(LSTM_CELL, (2,) * 3, False, True), *inputs)
    for k, x in change.items():
        inputs[k] = x
    assert not supports(walk, *inputs)
