"""Minimal gated units, with and without a state of their own."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.activation import sigmoid, tanh
from renga_nn.functions.array import concat
from renga_nn.links.linear import Linear
from renga_nn.links.state import KeepsOutput

__all__ = ["StatefulMGU", "StatelessMGU"]


class MGUBase(Chain):
    """The weights of a minimal gated unit (Zhou et al. 2016), and one step of it.

    Here ``[a; b]`` are concatenated vectors::

        f = sigmoid(W_f [h; x])
        h' = (1 - f) * h + f * tanh(W_h [f * h; x])

    Args:
        n_inputs: Number of input features.
        n_units: Number of units.

    Attributes:
        W_f, W_h: `Linear` of the previous output and the input together.
    """

    def __init__(self, n_inputs: int, n_units: int) -> None:
        super().__init__()
        self.state_size = n_units
        with self.init_scope():
            self.W_f = Linear(n_inputs + n_units, n_units)
            self.W_h = Linear(n_inputs + n_units, n_units)

    def _step(self, h: Any, x: Any) -> Variable:
        """The output for the input `x` after the previous output `h`."""
        f = sigmoid(self.W_f(concat((h, x), axis=1)))
        y: Variable = h + f * (tanh(self.W_h(concat((f * h, x), axis=1))) - h)
        return y


class StatelessMGU(MGUBase):
    """One step of a minimal gated unit; the caller keeps the output.

    Args: see `MGUBase`.

    >>> import numpy as np
    >>> layer = StatelessMGU(3, 5)
    >>> layer(np.zeros((2, 5), np.float32), np.ones((2, 3), np.float32)).shape
    (2, 5)
    """

    def forward(self, h: Any, x: Any) -> Variable:
        """One step.

        Args:
            h: Previous output ``(N, n_units)``.
            x: Input ``(N, n_inputs)``.

        Returns:
            The new output.
        """
        return self._step(h, x)


class StatefulMGU(KeepsOutput, MGUBase):
    """A minimal gated unit that keeps its output between calls; it is zero at first.

    Args:
        in_size: Number of input features.
        out_size: Number of units.

    Attributes:
        h: Output, or None.

    >>> import numpy as np
    >>> layer = StatefulMGU(3, 5)
    >>> layer(np.ones((2, 3), np.float32)).shape
    (2, 5)
    """

    def __init__(self, in_size: int, out_size: int) -> None:
        super().__init__(in_size, out_size)

    def forward(self, x: Any) -> Variable:
        """One step: the output ``(N, out_size)`` for the input ``(N, in_size)``."""
        before = self._zeros(x, self.state_size) if self.h is None else self.h
        self.h = self._step(before, x)
        return self.h
