"""Recurrent steps and layers of several pieces, against the reference in float64, and by one thread and by several."""

import numpy as np
import pytest

from renga_kernels_numba import threads
from renga_kernels_numba.lstm import LSTM
from renga_kernels_numba.lstm_layer import LSTMLayer, supports
from renga_kernels_numba.recurrence import Recurrence
from renga_nn.functions.rnn.lstm import LSTM_STEP
from renga_nn.functions.rnn.n_step_gru import GRU_CELL
from renga_nn.functions.rnn.n_step_lstm import LSTM_CELL
from renga_nn.functions.rnn.recurrence import RECURRENCE, Walk

WIDE = np.float64


def draw(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def close(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5 * max(1, np.abs(other).max()))


@pytest.fixture(params=["one thread", "several"])
def number(request, monkeypatch):
    monkeypatch.setattr(threads, "_forked", request.param == "one thread")


def test_a_step_of_several_pieces_in_which_sequences_have_ended(number):
    cells, x = draw(90, 300), 3 * draw(80, 1200)
    gc, gh = draw(90, 300), draw(80, 300)
    c, h = LSTM.forward(cells, x)
    wide = LSTM_STEP.reference.forward(cells.astype(WIDE), x.astype(WIDE))
    close((c, h), wide)
    expected = LSTM_STEP.reference.backward(*(a.astype(WIDE) for a in (cells, x)), wide[0], gc.astype(WIDE), gh)
    close(LSTM.backward(cells, x, c, gc, gh), expected)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("cell", "kernel", "units"),
    [(LSTM_CELL, Recurrence, 300), (GRU_CELL, Recurrence, 300), (LSTM_CELL, LSTMLayer, 304)],
    ids=["lstm", "gru", "lstm_layer"],
)
def test_a_layer_over_sequences_that_end(cell, kernel, units, backwards, number):
    sizes = (60, 60, 31, 7, 2, 1)
    walk = Walk(cell, sizes, backwards, True)
    gates = cell.gates * units
    args = [draw(sum(sizes), 7), draw(gates, 7), draw(gates), draw(gates, units) / 20, draw(gates)]
    args += [draw(60, units)] * cell.states
    gradients = [draw(sum(sizes), units), *[draw(60, units + 1)[:, 1:]] * cell.states]
    if kernel is LSTMLayer and not supports(walk, *args):
        pytest.skip("no tiles for this processor")
    wide_args = [a.astype(WIDE) for a in args]
    *results, kept = kernel.forward(walk, *args)
    *expected, wide_kept = RECURRENCE.reference.forward(walk, *wide_args)
    close(results, expected)
    wide_gradients = [g.astype(WIDE) for g in gradients]
    close(
        kernel.backward(walk, args, kept, gradients),
        RECURRENCE.reference.backward(walk, wide_args, wide_kept, wide_gradients),
    )


def test_without_gradients_nothing_is_kept_of_all_steps():
    args = [draw(50, 3), draw(20, 3), draw(20), draw(20, 5), draw(20), draw(10, 5), draw(10, 5)]
    *results, kept = Recurrence.forward(Walk(LSTM_CELL, (10,) * 5, False, False), *args)
    assert {a.shape[0] for a in kept} == {10}
    *expected, _ = Recurrence.forward(Walk(LSTM_CELL, (10,) * 5, False, True), *args)
    assert all(np.array_equal(a, b) for a, b in zip(results, expected, strict=True))
