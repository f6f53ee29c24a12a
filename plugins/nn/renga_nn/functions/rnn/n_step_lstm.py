"""Multi-layer long short-term memory over whole sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.activation import sigmoid, tanh
from renga_nn.functions.array import split_axis
from renga_nn.functions.rnn.n_step import Weights, n_step
from renga_nn.functions.rnn.recurrence import Cell

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["LSTM_CELL", "n_step_bilstm", "n_step_lstm"]


def n_step_lstm(
    n_layers: int, dropout_ratio: float, hx: Any, cx: Any, ws: Weights, bs: Weights, xs: Sequence[Any]
) -> tuple[Variable, Variable, list[Variable]]:
    """Multi-layer long short-term memory (Hochreiter & Schmidhuber 1997; Gers et al. 2000) over whole sequences.

    In each layer, for each step::

        i = sigmoid(W0 x + W4 h + b0 + b4)
        f = sigmoid(W1 x + W5 h + b1 + b5)
        a = tanh(W2 x + W6 h + b2 + b6)
        o = sigmoid(W3 x + W7 h + b3 + b7)
        c' = f * c + i * a
        h' = o * tanh(c')

    where x is the input of the step, or in higher layers the output of the layer below after dropout. The order of the
    gates is the same as in cuDNN and in Chainer's snapshots.

    Args:
        n_layers: Number of layers S.
        dropout_ratio: Dropout ratio for the inputs of all layers but the first; in training only.
        hx, cx: Initial outputs and cells, ``(S, B, N)``, for B sequences and N units.
        ws: For each layer eight matrices ``W0 ... W7``, ``(N, I)`` for the first four of the first layer, the others
            ``(N, N)``.
        bs: For each layer eight vectors ``(N,)``.
        xs: For each time step the inputs ``(B_t, I)`` of the sequences that continue. Sequences are sorted, longest
            first: ``B >= B_0 >= B_1 ...``; `transpose_sequence` converts sequences to time steps.

    Returns:
        Final outputs and cells of each sequence, ``(S, B, N)`` each; and a list of the last layer's outputs ``(B_t,
        N)`` per step.

    Raises:
        InvalidType: Shapes, dtypes or numbers of arrays do not fit together, or the sequences are not sorted.

    >>> import numpy as np
    >>> xs = [np.ones((2, 3)), np.ones((2, 3)), np.ones((1, 3))]  # one sequence of three steps, one of two
    >>> state = np.zeros((1, 2, 4))
    >>> ws = [[np.ones((4, 3))] * 4 + [np.ones((4, 4))] * 4]
    >>> hy, cy, ys = n_step_lstm(1, 0.0, state, state, ws, [[np.zeros(4)] * 8], xs)
    >>> hy.shape, cy.shape, [y.shape for y in ys]
    ((1, 2, 4), (1, 2, 4), [(2, 4), (2, 4), (1, 4)])
    """
    (hy, cy), ys = n_step("n_step_lstm", LSTM_CELL, 1, n_layers, dropout_ratio, (hx, cx), ws, bs, xs)
    return hy, cy, ys


def n_step_bilstm(
    n_layers: int, dropout_ratio: float, hx: Any, cx: Any, ws: Weights, bs: Weights, xs: Sequence[Any]
) -> tuple[Variable, Variable, list[Variable]]:
    """Bidirectional `n_step_lstm`: each layer has one network that runs forwards, and one that runs backwards.

    Their concatenated outputs, forward first, are the input of the next layer, and the result.

    Args:
        n_layers, dropout_ratio, xs: See `n_step_lstm`.
        hx, cx: Initial outputs and cells, ``(2 S, B, N)``: for each layer forward, then backward.
        ws, bs: See `n_step_lstm`; ``2 S`` lists in the same order. The input matrices of higher layers are ``(N, 2
            N)``.

    Returns:
        As for `n_step_lstm`, with ``(2 S, B, N)`` and ``(B_t, 2 N)``.

    Raises:
        InvalidType: See `n_step_lstm`.

    >>> import numpy as np
    >>> xs = [np.ones((2, 3)), np.ones((2, 3)), np.ones((1, 3))]
    >>> state = np.zeros((2, 2, 4))
    >>> ws = [[np.ones((4, 3))] * 4 + [np.ones((4, 4))] * 4] * 2
    >>> hy, cy, ys = n_step_bilstm(1, 0.0, state, state, ws, [[np.zeros(4)] * 8] * 2, xs)
    >>> hy.shape, cy.shape, [y.shape for y in ys]
    ((2, 2, 4), (2, 2, 4), [(2, 8), (2, 8), (1, 8)])
    """
    (hy, cy), ys = n_step("n_step_bilstm", LSTM_CELL, 2, n_layers, dropout_ratio, (hx, cx), ws, bs, xs)
    return hy, cy, ys


@dataclass(frozen=True)  # so that a frozen model with it can be written to a file
class _LSTMCell(Cell):
    """States are output and cells; gates are i, f, a, o."""

    name = "lstm"
    states = 2
    gates = 4

    def step(
        self, xp: Any, input_gates: Array, hidden_gates: Array, states: tuple[Array, ...]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        hidden_gates += input_gates
        n = states[0].shape[1]
        # sigmoid(x) is (tanh(x / 2) + 1) / 2, so one pass computes all gates.
        hidden_gates[:, : 2 * n] *= 0.5
        hidden_gates[:, 3 * n :] *= 0.5
        gates = xp.tanh(hidden_gates)
        a = xp.copy(gates[:, 2 * n : 3 * n])
        gates *= 0.5
        gates += 0.5
        i, f, o = gates[:, :n], gates[:, n : 2 * n], gates[:, 3 * n :]
        c = f * states[1]
        c += i * a
        tanh_c = xp.tanh(c)
        return (o * tanh_c, c), (gates, a, tanh_c)

    def step_back(
        self, xp: Any, kept: tuple[Array, ...], states: tuple[Array, ...], gradients: Sequence[Array]
    ) -> tuple[Array, Array, tuple[Array, ...]]:
        gates, a, tanh_c = kept
        gh, gc = gradients
        n = a.shape[1]
        i, f, o = gates[:, :n], gates[:, n : 2 * n], gates[:, 3 * n :]
        total = gc + gh * o * (1 - tanh_c * tanh_c)
        gx = gates * (1 - gates)
        gx[:, :n] *= total * a
        gx[:, n : 2 * n] *= total * states[1]
        gx[:, 2 * n : 3 * n] = total * i * (1 - a * a)
        gx[:, 3 * n :] *= gh * tanh_c
        return gx, gx, (xp.zeros_like(gh), total * f)

    def composed(self, input_gates: Variable, hidden_gates: Variable, states: Sequence[Variable]) -> Sequence[Variable]:
        i, f, a, o = split_axis(input_gates + hidden_gates, 4, axis=1)
        c = sigmoid(f) * states[1] + sigmoid(i) * tanh(a)
        return sigmoid(o) * tanh(c), c


LSTM_CELL = _LSTMCell()
