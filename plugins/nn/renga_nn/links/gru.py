"""Gated recurrent units, with and without a state of their own."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.activation import sigmoid, tanh
from renga_nn.links.linear import Linear
from renga_nn.links.state import KeepsOutput

__all__ = ["GRU", "StatefulGRU", "StatelessGRU"]


class GRUBase(Chain):
    """The weights of a gated recurrent unit (Cho et al. 2014), and one step of it.

    Each of the six matrices is a `Linear` with its own bias::

        r = sigmoid(W_r x + U_r h)
        z = sigmoid(W_z x + U_z h)
        h' = (1 - z) * h + z * tanh(W x + U (r * h))

    Args:
        in_size: Number of input features; None: from the first input.
        out_size: Number of units.
        init: Initializer of the input weights. Default: LeCunNormal.
        inner_init: Initializer of the weights of the previous output. Default: LeCunNormal.
        bias_init: Initializer of all biases. Default: 0.

    Attributes:
        W_r, W_z, W: `Linear` of the input. U_r, U_z, U: `Linear` of the previous output.
    """

    def __init__(
        self, in_size: int | None, out_size: int, init: Any = None, inner_init: Any = None, bias_init: Any = None
    ) -> None:
        super().__init__()
        self.state_size = out_size
        with self.init_scope():
            self.W_r = Linear(in_size, out_size, initialW=init, initial_bias=bias_init)
            self.U_r = Linear(out_size, out_size, initialW=inner_init, initial_bias=bias_init)
            self.W_z = Linear(in_size, out_size, initialW=init, initial_bias=bias_init)
            self.U_z = Linear(out_size, out_size, initialW=inner_init, initial_bias=bias_init)
            self.W = Linear(in_size, out_size, initialW=init, initial_bias=bias_init)
            self.U = Linear(out_size, out_size, initialW=inner_init, initial_bias=bias_init)

    def _step(self, h: Any, x: Any) -> Variable:
        """The output for the input `x` after the previous output `h`."""
        r = sigmoid(self.W_r(x) + self.U_r(h))
        z = sigmoid(self.W_z(x) + self.U_z(h))
        y: Variable = h + z * (tanh(self.W(x) + self.U(r * h)) - h)
        return y


class StatelessGRU(GRUBase):
    """One step of a gated recurrent unit; the caller keeps the output.

    Args: see `GRUBase`.

    >>> import numpy as np
    >>> layer = StatelessGRU(3, 5)
    >>> layer(np.zeros((2, 5), np.float32), np.ones((2, 3), np.float32)).shape
    (2, 5)
    """

    def forward(self, h: Any, x: Any) -> Variable:
        """One step.

        Args:
            h: Previous output ``(N, out_size)``.
            x: Input ``(N, in_size)``.

        Returns:
            The new output.
        """
        return self._step(h, x)


class StatefulGRU(KeepsOutput, GRUBase):
    """A gated recurrent unit that keeps its output between calls.

    In the first step there is no previous output, and the matrices U and their biases are not used.

    Args: see `GRUBase`.

    Attributes:
        h: Output, or None.

    >>> import numpy as np
    >>> layer = StatefulGRU(3, 5)
    >>> layer(np.ones((2, 3), np.float32)).shape
    (2, 5)
    >>> layer.reset_state()
    """

    def __init__(
        self, in_size: int | None, out_size: int, init: Any = None, inner_init: Any = None, bias_init: Any = 0
    ) -> None:
        super().__init__(in_size, out_size, init, inner_init, bias_init)

    def forward(self, x: Any) -> Variable:
        """One step: the output ``(N, out_size)`` for the input ``(N, in_size)``."""
        if self.h is None:
            self.h = sigmoid(self.W_z(x)) * tanh(self.W(x))
        else:
            self.h = self._step(self.h, x)
        return self.h


class GRU(StatefulGRU):
    """Another name of `StatefulGRU`.

    >>> import numpy as np
    >>> layer = GRU(3, 5)
    >>> layer(np.ones((2, 3), np.float32)).shape
    (2, 5)
    >>> layer.reset_state()
    """
