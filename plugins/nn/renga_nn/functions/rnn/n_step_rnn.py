"""Multi-layer plain recurrent networks over whole sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.activation import relu, tanh
from renga_nn.functions.checks import require_choice
from renga_nn.functions.rnn.n_step import Weights, n_step
from renga_nn.functions.rnn.recurrence import Cell

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["RNN_CELLS", "n_step_birnn", "n_step_rnn"]


def n_step_rnn(
    n_layers: int,
    dropout_ratio: float,
    hx: Any,
    ws: Weights,
    bs: Weights,
    xs: Sequence[Any],
    activation: str = "tanh",
) -> tuple[Variable, list[Variable]]:
    """Multi-layer plain recurrent networks (Elman 1990) over whole sequences.

    In each layer, for each step: ``h' = f(W0 x + W1 h + b0 + b1)``, where x is the input of the step, or in higher
    layers the output of the layer below after dropout.

    Args:
        n_layers: Number of layers S.
        dropout_ratio: Dropout ratio for the inputs of all layers but the first; in training only.
        hx: Initial outputs, ``(S, B, N)``, for B sequences and N units.
        ws: For each layer two matrices, `W0` ``(N, I)`` for the first layer, else ``(N, N)``, and `W1` ``(N, N)``.
        bs: For each layer two vectors ``(N,)``.
        xs: For each time step the inputs ``(B_t, I)`` of the sequences that continue. Sequences are sorted, longest
            first: ``B >= B_0 >= B_1 ...``; `transpose_sequence` converts sequences to time steps.
        activation: f, ``"tanh"`` or ``"relu"``.

    Returns:
        The final outputs of each sequence, ``(S, B, N)``; and a list of the last layer's outputs ``(B_t, N)`` per step.

    Raises:
        InvalidType: Shapes, dtypes or numbers of arrays do not fit together, or the sequences are not sorted.
        ValueError: `activation` is invalid.

    >>> import numpy as np
    >>> xs = [np.ones((2, 3)), np.ones((2, 3)), np.ones((1, 3))]  # one sequence of three steps, one of two
    >>> ws, bs = [[np.ones((4, 3)), np.ones((4, 4))]], [[np.zeros(4)] * 2]
    >>> hy, ys = n_step_rnn(1, 0.0, np.zeros((1, 2, 4)), ws, bs, xs, activation="relu")
    >>> hy.shape, [y.array[0, 0].item() for y in ys]
    ((1, 2, 4), [3.0, 15.0, 63.0])
    """
    require_choice("n_step_rnn", "activation", activation, tuple(RNN_CELLS))
    (hy,), ys = n_step("n_step_rnn", RNN_CELLS[activation], 1, n_layers, dropout_ratio, (hx,), ws, bs, xs)
    return hy, ys


def n_step_birnn(
    n_layers: int,
    dropout_ratio: float,
    hx: Any,
    ws: Weights,
    bs: Weights,
    xs: Sequence[Any],
    activation: str = "tanh",
) -> tuple[Variable, list[Variable]]:
    """Bidirectional `n_step_rnn`: each layer has one network that runs forwards, and one that runs backwards.

    Their concatenated outputs, forward first, are the input of the next layer, and the result.

    Args:
        n_layers, dropout_ratio, xs, activation: See `n_step_rnn`.
        hx: Initial outputs, ``(2 S, B, N)``: for each layer forward, then backward.
        ws, bs: See `n_step_rnn`; ``2 S`` lists in the same order. `W0` of higher layers is ``(N, 2 N)``.

    Returns:
        As for `n_step_rnn`, with ``(2 S, B, N)`` and ``(B_t, 2 N)``.

    Raises:
        InvalidType, ValueError: See `n_step_rnn`.

    >>> import numpy as np
    >>> xs = [np.ones((2, 3)), np.ones((2, 3)), np.ones((1, 3))]
    >>> ws, bs = [[np.ones((4, 3)), np.ones((4, 4))]] * 2, [[np.zeros(4)] * 2] * 2
    >>> hy, ys = n_step_birnn(1, 0.0, np.zeros((2, 2, 4)), ws, bs, xs, activation="relu")
    >>> hy.shape, [y.array[0, 4].item() for y in ys]
    ((2, 2, 4), [63.0, 15.0, 3.0])
    """
    require_choice("n_step_birnn", "activation", activation, tuple(RNN_CELLS))
    (hy,), ys = n_step("n_step_birnn", RNN_CELLS[activation], 2, n_layers, dropout_ratio, (hx,), ws, bs, xs)
    return hy, ys


@dataclass(frozen=True)  # so that a frozen model with it can be written to a file
class _TanhCell(Cell):
    """The state is the output, ``tanh`` of the only gate."""

    name = "tanh"
    states = 1
    gates = 1

    def step(
        self, xp: Any, input_gates: Array, hidden_gates: Array, states: tuple[Array, ...]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        y = xp.tanh(input_gates + hidden_gates)
        return (y,), (y,)

    def step_back(
        self, xp: Any, kept: tuple[Array, ...], states: tuple[Array, ...], gradients: Sequence[Array]
    ) -> tuple[Array, Array, tuple[Array, ...]]:
        (y,), (gh,) = kept, gradients
        gx = gh * (1 - y * y)
        return gx, gx, (xp.zeros_like(gh),)

    def composed(self, input_gates: Variable, hidden_gates: Variable, states: Sequence[Variable]) -> Sequence[Variable]:
        return (tanh(input_gates + hidden_gates),)


@dataclass(frozen=True)  # so that a frozen model with it can be written to a file
class _ReLUCell(Cell):
    """The state is the output: the only gate, if it is positive."""

    name = "relu"
    states = 1
    gates = 1

    def step(
        self, xp: Any, input_gates: Array, hidden_gates: Array, states: tuple[Array, ...]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        y = xp.maximum(input_gates + hidden_gates, 0)
        return (y,), (y,)

    def step_back(
        self, xp: Any, kept: tuple[Array, ...], states: tuple[Array, ...], gradients: Sequence[Array]
    ) -> tuple[Array, Array, tuple[Array, ...]]:
        (y,), (gh,) = kept, gradients
        gx = gh * (y > 0)
        return gx, gx, (xp.zeros_like(gh),)

    def composed(self, input_gates: Variable, hidden_gates: Variable, states: Sequence[Variable]) -> Sequence[Variable]:
        return (relu(input_gates + hidden_gates),)


RNN_CELLS: dict[str, Cell] = {"tanh": _TanhCell(), "relu": _ReLUCell()}
