"""`LSTM` and `StatelessLSTM` draw their weights in Chainer's order: quarter by quarter, lateral before upward."""

from __future__ import annotations

import math
from typing import Any

from renga_core.graph import Variable
from renga_nn.initializers import get_initializer
from renga_nn.links.lstm import LSTMBase

__all__ = ["ADDITIONS"]

_init = LSTMBase.__init__
_forward = LSTMBase._step


def make(
    self: LSTMBase,
    in_size: int | None,
    out_size: int | None = None,
    lateral_init: Any = None,
    upward_init: Any = None,
    bias_init: Any = None,
    forget_bias_init: Any = None,
) -> None:
    """Like Renga's, but weights that wait for the first input are all drawn at once."""
    if out_size is None:
        in_size, out_size = None, in_size
    _init(self, None, out_size, 0, 0, bias_init, forget_bias_init)
    self.lateral_init, self.upward_init = lateral_init, upward_init
    self.bias_init = 0 if bias_init is None else bias_init
    self.forget_bias_init = 1 if forget_bias_init is None else forget_bias_init
    if in_size is not None:
        _draw(self, in_size)


def step(self: LSTMBase, c: Any, h: Any, x: Any) -> tuple[Variable, Variable]:
    """Like Renga's."""
    if self.upward.W.array is None:
        _draw(self, math.prod(x.shape[1:]))
    return _forward(self, c, h, x)


def _draw(self: LSTMBase, in_size: int) -> None:
    lateral_init = get_initializer(self.lateral_init)  # type: ignore[attr-defined]  # as given
    upward_init = get_initializer(self.upward_init)  # type: ignore[attr-defined]
    self.upward.W.initialize((4 * self.state_size, in_size))
    self.upward.in_size = in_size
    for begin in range(0, 4 * self.state_size, self.state_size):
        lateral_init(self.lateral.W.array[begin : begin + self.state_size])
        upward_init(self.upward.W.array[begin : begin + self.state_size])


ADDITIONS: list[tuple[type, str, Any]] = [(LSTMBase, "__init__", make), (LSTMBase, "_step", step)]
