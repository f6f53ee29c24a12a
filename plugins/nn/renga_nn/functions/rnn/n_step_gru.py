"""Multi-layer gated recurrent units over whole sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.activation import sigmoid, tanh
from renga_nn.functions.activation.sigmoid import sigmoid_array
from renga_nn.functions.array import split_axis
from renga_nn.functions.rnn.n_step import Weights, n_step
from renga_nn.functions.rnn.recurrence import Cell

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["GRU_CELL", "n_step_bigru", "n_step_gru"]


def n_step_gru(
    n_layers: int, dropout_ratio: float, hx: Any, ws: Weights, bs: Weights, xs: Sequence[Any]
) -> tuple[Variable, list[Variable]]:
    """Multi-layer gated recurrent units (Cho et al. 2014) over whole sequences.

    In each layer, for each step::

        r = sigmoid(W0 x + W3 h + b0 + b3)
        z = sigmoid(W1 x + W4 h + b1 + b4)
        a = tanh(W2 x + b2 + r * (W5 h + b5))
        h' = (1 - z) * a + z * h

    where x is the input of the step, or in higher layers the output of the layer below after dropout. This is cuDNN's
    variant: the reset gate is applied after the product with W5, not before it as in `renga.links.GRU`.

    Args:
        n_layers: Number of layers S.
        dropout_ratio: Dropout ratio for the inputs of all layers but the first; in training only.
        hx: Initial outputs, ``(S, B, N)``, for B sequences and N units.
        ws: For each layer six matrices ``W0 ... W5``, ``(N, I)`` for the first three of the first layer, the others
            ``(N, N)``.
        bs: For each layer six vectors ``(N,)``.
        xs: For each time step the inputs ``(B_t, I)`` of the sequences that continue. Sequences are sorted, longest
            first: ``B >= B_0 >= B_1 ...``; `transpose_sequence` converts sequences to time steps.

    Returns:
        The final outputs of each sequence, ``(S, B, N)``; and a list of the last layer's outputs ``(B_t, N)`` per step.

    Raises:
        InvalidType: Shapes, dtypes or numbers of arrays do not fit together, or the sequences are not sorted.

    >>> import numpy as np
    >>> xs = [np.ones((2, 3)), np.ones((2, 3)), np.ones((1, 3))]  # one sequence of three steps, one of two
    >>> ws = [[np.ones((4, 3))] * 3 + [np.ones((4, 4))] * 3]
    >>> hy, ys = n_step_gru(1, 0.0, np.zeros((1, 2, 4)), ws, [[np.zeros(4)] * 6], xs)
    >>> hy.shape, [y.shape for y in ys]
    ((1, 2, 4), [(2, 4), (2, 4), (1, 4)])
    """
    (hy,), ys = n_step("n_step_gru", GRU_CELL, 1, n_layers, dropout_ratio, (hx,), ws, bs, xs)
    return hy, ys


def n_step_bigru(
    n_layers: int, dropout_ratio: float, hx: Any, ws: Weights, bs: Weights, xs: Sequence[Any]
) -> tuple[Variable, list[Variable]]:
    """Bidirectional `n_step_gru`: each layer has one network that runs forwards, and one that runs backwards.

    Their concatenated outputs, forward first, are the input of the next layer, and the result.

    Args:
        n_layers, dropout_ratio, xs: See `n_step_gru`.
        hx: Initial outputs, ``(2 S, B, N)``: for each layer forward, then backward.
        ws, bs: See `n_step_gru`; ``2 S`` lists in the same order. The input matrices of higher layers are ``(N, 2 N)``.

    Returns:
        As for `n_step_gru`, with ``(2 S, B, N)`` and ``(B_t, 2 N)``.

    Raises:
        InvalidType: See `n_step_gru`.

    >>> import numpy as np
    >>> xs = [np.ones((2, 3)), np.ones((2, 3)), np.ones((1, 3))]
    >>> ws = [[np.ones((4, 3))] * 3 + [np.ones((4, 4))] * 3] * 2
    >>> hy, ys = n_step_bigru(1, 0.0, np.zeros((2, 2, 4)), ws, [[np.zeros(4)] * 6] * 2, xs)
    >>> hy.shape, [y.shape for y in ys]
    ((2, 2, 4), [(2, 8), (2, 8), (1, 8)])
    """
    (hy,), ys = n_step("n_step_bigru", GRU_CELL, 2, n_layers, dropout_ratio, (hx,), ws, bs, xs)
    return hy, ys


@dataclass(frozen=True)  # so that a frozen model with it can be written to a file
class _GRUCell(Cell):
    """The state is the output; gates are r, z, a."""

    name = "gru"
    states = 1
    gates = 3
    adds = False

    def step(
        self, xp: Any, input_gates: Array, hidden_gates: Array, states: tuple[Array, ...]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        (h,) = states
        n = h.shape[1]
        gates = sigmoid_array(xp, input_gates[:, : 2 * n] + hidden_gates[:, : 2 * n])
        r, z = gates[:, :n], gates[:, n:]
        inner = hidden_gates[:, 2 * n :]
        a = xp.tanh(input_gates[:, 2 * n :] + r * inner)
        return (a + z * (h - a),), (gates, inner, a)

    def step_back(
        self, xp: Any, kept: tuple[Array, ...], states: tuple[Array, ...], gradients: Sequence[Array]
    ) -> tuple[Array, Array, tuple[Array, ...]]:
        gates, inner, a = kept
        (h,), (gh,) = states, gradients
        n = a.shape[1]
        r, z = gates[:, :n], gates[:, n:]
        gx = xp.empty((a.shape[0], 3 * n), dtype=a.dtype)
        ga = gh * (1 - z) * (1 - a * a)
        gx[:, :n] = ga * inner
        gx[:, n : 2 * n] = gh * (h - a)
        gx[:, : 2 * n] *= gates * (1 - gates)
        gx[:, 2 * n :] = ga
        ghidden_gates = xp.copy(gx)
        ghidden_gates[:, 2 * n :] *= r
        return gx, ghidden_gates, (gh * z,)

    def composed(self, input_gates: Variable, hidden_gates: Variable, states: Sequence[Variable]) -> Sequence[Variable]:
        (xr, xz, xa), (hr, hz, ha) = split_axis(input_gates, 3, axis=1), split_axis(hidden_gates, 3, axis=1)
        a = tanh(xa + sigmoid(xr + hr) * ha)
        return (a + sigmoid(xz + hz) * (states[0] - a),)


GRU_CELL = _GRUCell()
