"""Recurrent networks in both directions: between layers, each direction has its own dropout, as in Chainer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_nn.functions.array import concat, separate, stack
from renga_nn.functions.noise import dropout
from renga_nn.functions.rnn import n_step as functions
from renga_nn.functions.rnn.n_step import Weights
from renga_nn.functions.rnn.recurrence import Cell, Recurrence
from renga_nn.links import n_step_rnn as links

__all__ = ["ADDITIONS"]

_packed = functions.n_step_packed


def n_step_packed(
    cell: Cell,
    directions: int,
    n_layers: int,
    dropout_ratio: float,
    states: Sequence[Any],
    ws: Weights,
    bs: Weights,
    x: Any,
    sizes: Sequence[int],
) -> tuple[list[Variable], Variable]:
    """Like Renga's, but in both directions: there, both get the same input, after one dropout."""
    if directions == 1 or not dropout_ratio:
        return _packed(cell, directions, n_layers, dropout_ratio, states, ws, bs, x, sizes)
    initial = [separate(state, axis=0) for state in states]
    final: list[list[Variable]] = []
    outputs: list[Variable] = []
    for k in range(2 * n_layers):
        if k and k % 2 == 0:
            x = concat(outputs[-2:], axis=1)
        given = dropout(x, dropout_ratio) if k >= 2 else x
        (Wx, Wh), (bx, bh) = (
            [concat(part[at : at + cell.gates], axis=0) for at in (0, cell.gates)] for part in (ws[k], bs[k])
        )
        node = Recurrence(cell, sizes, backwards=k % 2 == 1)
        y, *last = node.apply((given, Wx, bx, Wh, bh, *[state[k] for state in initial]))
        outputs.append(y)
        final.append(last)
    return [stack(state, axis=0) for state in zip(*final, strict=True)], concat(outputs[-2:], axis=1)


ADDITIONS: list[tuple[Any, str, Any]] = [
    (functions, "n_step_packed", n_step_packed),
    (links, "n_step_packed", n_step_packed),
]
