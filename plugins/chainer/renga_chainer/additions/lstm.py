"""`LSTM` and `StatelessLSTM` draw their weights in Chainer's order: quarter by quarter, lateral before upward."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_nn.initializers import get_initializer
from renga_nn.links import StatelessLSTM

__all__ = ["ADDITIONS"]

_init = StatelessLSTM.__init__
_forward = StatelessLSTM.forward


def make(
    self: StatelessLSTM,
    in_size: int | None,
    out_size: int | None = None,
    lateral_init: Any = None,
    upward_init: Any = None,
    bias_init: Any = None,
    forget_bias_init: Any = None,
) -> None:
    """As Renga's; weights that wait for the size of the first input are all drawn then."""
    if out_size is None:
        in_size, out_size = None, in_size
    self._initializers = get_initializer(lateral_init), get_initializer(upward_init)
    _init(self, None, out_size, 0, 0, bias_init, forget_bias_init)
    if in_size is not None:
        _draw(self, in_size)


def forward(self: StatelessLSTM, c: Any, h: Any, x: Any) -> tuple[Variable, Variable]:
    """As Renga's."""
    if self.upward.W.array is None:
        _draw(self, x.size // len(x))
    return _forward(self, c, h, x)


def _draw(self: StatelessLSTM, in_size: int) -> None:
    lateral_init, upward_init = self._initializers  # type: ignore[attr-defined]  # the link's
    self.upward.W.initialize((4 * self.state_size, in_size))
    self.upward.in_size = in_size
    for begin in range(0, 4 * self.state_size, self.state_size):
        lateral_init(self.lateral.W.array[begin : begin + self.state_size])
        upward_init(self.upward.W.array[begin : begin + self.state_size])


ADDITIONS: list[tuple[type, str, Any]] = [(StatelessLSTM, "__init__", make), (StatelessLSTM, "forward", forward)]
