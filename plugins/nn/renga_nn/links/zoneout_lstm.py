"""A long short-term memory with zoneout."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_nn.functions.noise import zoneout
from renga_nn.functions.rnn import lstm
from renga_nn.links.linear import Linear
from renga_nn.links.state import KeepsCells

__all__ = ["StatefulZoneoutLSTM"]


class StatefulZoneoutLSTM(KeepsCells):
    """A long short-term memory that keeps random elements of its state unchanged in training (Krueger et al. 2017).

    Like `renga.links.LSTM`, but each element of the cells keeps its old value with probability `c_ratio`, and each
    element of the output with probability `h_ratio`. Cells and output are kept between calls.

    Args:
        in_size: Number of input features; None: from the first input.
        out_size: Number of units.
        c_ratio: Probability that a cell keeps its value.
        h_ratio: Probability that an output keeps its value.

    Attributes:
        upward: `Linear` from the input to the gates. lateral: `Linear` from the previous output, without bias.
        c, h: Cells and output, or None.

    >>> import numpy as np
    >>> layer = StatefulZoneoutLSTM(3, 5)
    >>> layer(np.ones((2, 3), np.float32)).shape
    (2, 5)
    """

    def __init__(self, in_size: int | None, out_size: int, c_ratio: float = 0.5, h_ratio: float = 0.5) -> None:
        super().__init__()
        self.state_size = out_size
        self.c_ratio = c_ratio
        self.h_ratio = h_ratio
        with self.init_scope():
            self.upward = Linear(in_size, 4 * out_size)
            self.lateral = Linear(out_size, 4 * out_size, nobias=True)

    def forward(self, x: Any) -> Variable:
        """One step: the output ``(N, out_size)`` for the input ``(N, in_size)``."""
        gates = self.upward(x)
        if self.h is not None:
            gates += self.lateral(self.h)
        c_before = self._zeros(x, self.state_size) if self.c is None else self.c
        h_before = self._zeros(x, self.state_size) if self.h is None else self.h
        c, h = lstm(c_before, gates)
        self.c, self.h = zoneout(c_before, c, self.c_ratio), zoneout(h_before, h, self.h_ratio)
        return self.h
