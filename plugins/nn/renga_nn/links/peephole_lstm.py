"""Long short-term memory with peephole connections."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.graph.operators import reshape
from renga_nn.functions.activation import sigmoid, tanh
from renga_nn.functions.array import separate
from renga_nn.links.linear import Linear
from renga_nn.links.state import KeepsCells

__all__ = ["StatefulPeepholeLSTM"]


class StatefulPeepholeLSTM(KeepsCells):
    """A long short-term memory with peepholes (Gers & Schmidhuber 2000), which keeps cells and output between calls.

    `a, i, f, o` are the parts of ``upward x + lateral h`` for the four gates, interleaved as in `renga.links.LSTM`::

        c' = tanh(a) * sigmoid(i + peep_i c) + c * sigmoid(f + peep_f c)
        h' = tanh(c') * sigmoid(o + peep_o c')

    Args:
        in_size: Number of input features; None to take it from the first input.
        out_size: Number of units.

    Attributes:
        upward: `Linear` from the input to the gates. lateral: `Linear` from the previous output, without bias.
        peep_i, peep_f, peep_o: `Linear` from the cells to a gate, without bias; full matrices.
        c, h: Cells and output, or None.

    >>> import numpy as np
    >>> layer = StatefulPeepholeLSTM(3, 5)
    >>> layer(np.ones((2, 3), np.float32)).shape
    (2, 5)
    """

    def __init__(self, in_size: int | None, out_size: int) -> None:
        super().__init__()
        self.state_size = out_size
        with self.init_scope():
            self.upward = Linear(in_size, 4 * out_size)
            self.lateral = Linear(out_size, 4 * out_size, nobias=True)
            self.peep_i = Linear(out_size, out_size, nobias=True)
            self.peep_f = Linear(out_size, out_size, nobias=True)
            self.peep_o = Linear(out_size, out_size, nobias=True)

    def forward(self, x: Any) -> Variable:
        """One step: the output ``(N, out_size)`` for the input ``(N, in_size)``."""
        gates = self.upward(x)
        if self.h is not None:
            gates += self.lateral(self.h)
        before = self._zeros(x, self.state_size) if self.c is None else self.c
        a, i, f, o = separate(reshape(gates, (x.shape[0], self.state_size, 4)), axis=2)
        i, f = sigmoid(i + self.peep_i(before)), sigmoid(f + self.peep_f(before))
        c = tanh(a) * i + before * f
        y: Variable = tanh(c) * sigmoid(o + self.peep_o(c))
        self.c, self.h = c, y
        return y
