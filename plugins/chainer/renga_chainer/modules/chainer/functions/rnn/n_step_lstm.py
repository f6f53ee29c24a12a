"""``chainer.functions.rnn.n_step_lstm``: besides Renga's function, one step of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_nn.functions import linear, lstm, stack

__all__: list[str] = []


def _stack_weight(ws: Sequence[Any]) -> Variable:
    """Weights of the four gates as `lstm` takes them: unit by unit."""
    w = stack(ws, axis=1)
    return w.reshape((w.shape[0] * w.shape[1], *w.shape[2:]))


def _lstm(x: Any, h: Any, c: Any, w: Sequence[Any], b: Sequence[Any]) -> tuple[Variable, Variable]:
    """One step: the output and the cell.

    Args:
        x, h, c: Input, output and cell of the step before.
        w, b: Eight weights and biases, as a layer of `NStepLSTM` has them.
    """
    of_x, of_h = ([2, 0, 1, 3], [6, 4, 5, 7])
    gates = linear(x, _stack_weight([w[i] for i in of_x]), _stack_weight([b[i] for i in of_x]))
    gates += linear(h, _stack_weight([w[i] for i in of_h]), _stack_weight([b[i] for i in of_h]))
    cell, output = lstm(c, gates)
    return output, cell
