"""``chainer.functions.rnn.n_step_lstm``: Renga's function, and a single step of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_nn.functions import linear, lstm, stack

__all__: list[str] = []


def _stack_weight(ws: Sequence[Any]) -> Variable:
    """Interleave the weights of the four gates, unit by unit, as `lstm` expects them."""
    w = stack(ws, axis=1)
    return w.reshape((w.shape[0] * w.shape[1], *w.shape[2:]))


def _lstm(x: Any, h: Any, c: Any, w: Sequence[Any], b: Sequence[Any]) -> tuple[Variable, Variable]:
    """Compute one step; return output and cell.

    Args:
        x: Input. h, c: Output and cell of the previous step.
        w, b: Eight weights and biases, as in a layer of `NStepLSTM`.
    """
    of_x, of_h = ([2, 0, 1, 3], [6, 4, 5, 7])
    gates = linear(x, _stack_weight([w[i] for i in of_x]), _stack_weight([b[i] for i in of_x]))
    gates += linear(h, _stack_weight([w[i] for i in of_h]), _stack_weight([b[i] for i in of_h]))
    cell, output = lstm(c, gates)
    return output, cell
