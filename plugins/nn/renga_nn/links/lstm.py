"""Long short-term memory, with and without a state of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.array import concat, split_axis
from renga_nn.functions.rnn import lstm
from renga_nn.initializers import get_initializer
from renga_nn.links.linear import Linear
from renga_nn.links.state import KeepsCells

__all__ = ["LSTM", "StatelessLSTM"]

_GATES = 4


class _EachGate:
    """Fills the rows of each gate as a separate matrix, so that the fan-out counts only one gate.

    Gates are interleaved: row ``4 j + g`` belongs to unit `j` of gate `g`, in the order a, i, f, o.

    Args:
        initializers: Initializers of the four gates.
    """

    def __init__(self, *initializers: Callable[[Array], object]) -> None:
        self.initializers = initializers
        self.dtype = getattr(initializers[0], "dtype", None)

    def __call__(self, array: Array) -> None:
        for gate, fill in enumerate(self.initializers):
            # Initializers fill in place, and some assign to reshaped views, so they need a contiguous array.
            rows = array[gate::_GATES].copy()
            fill(rows)
            array[gate::_GATES] = rows


class LSTMBase(Chain):
    """The weights of a long short-term memory, and one step of it.

    Args:
        in_size: Number of input features; None: from the first input.
        out_size: Number of units. ``LSTM(n)`` is short for ``LSTM(None, n)``.
        lateral_init: Initializer of the weights of the previous output. Default: LeCunNormal.
        upward_init: Initializer of the input weights. Default: LeCunNormal.
        bias_init: Initializer of the biases of cells, input and output gates. Default: 0.
        forget_bias_init: Initializer of the biases of forget gates. Default: 1, so that a new network remembers.

    Attributes:
        upward: `Linear` from the input to the gates. lateral: `Linear` from the previous output, without bias.
        state_size: Number of units.
    """

    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        lateral_init: Any = None,
        upward_init: Any = None,
        bias_init: Any = None,
        forget_bias_init: Any = None,
    ) -> None:
        super().__init__()
        if out_size is None:
            in_size, out_size = None, in_size
        if out_size is None:
            raise TypeError(f"{type(self).__name__} needs the number of its units")
        self.state_size = out_size
        lateral = get_initializer(lateral_init)
        upward = get_initializer(upward_init)
        bias = get_initializer(0 if bias_init is None else bias_init)
        forget = get_initializer(1 if forget_bias_init is None else forget_bias_init)
        with self.init_scope():
            self.upward = Linear(
                in_size,
                _GATES * out_size,
                initialW=_EachGate(upward, upward, upward, upward),
                initial_bias=_EachGate(bias, bias, forget, bias),
            )
            self.lateral = Linear(
                out_size, _GATES * out_size, nobias=True, initialW=_EachGate(lateral, lateral, lateral, lateral)
            )

    def _step(self, c: Any, h: Any, x: Any) -> tuple[Variable, Variable]:
        """The cells and the output for the input `x`, from the previous cells and output."""
        gates = self.upward(x)
        if h is not None:
            gates += self.lateral(h)
        if c is None:
            c = self.xp.zeros((x.shape[0], self.state_size), dtype=x.dtype)
        return lstm(c, gates)


class StatelessLSTM(LSTMBase):
    """One step of a long short-term memory; the caller keeps cells and output.

    Args: see `LSTMBase`.

    >>> import numpy as np
    >>> layer = StatelessLSTM(3, 5)
    >>> c, h = layer(None, None, np.ones((2, 3), np.float32))
    >>> c, h = layer(c, h, np.ones((2, 3), np.float32))
    >>> h.shape
    (2, 5)
    """

    def forward(self, c: Any, h: Any, x: Any) -> tuple[Variable, Variable]:
        """One step.

        Args:
            c: Cells ``(N, out_size)``, or None for zeros.
            h: Previous output ``(N, out_size)``, or None for zeros.
            x: Input ``(N, in_size)``.

        Returns:
            The new cells and the output.
        """
        return self._step(c, h, x)


class LSTM(KeepsCells, LSTMBase):
    """A long short-term memory that keeps cells and output between calls.

    Call it with one element of each sequence at a time, and call `reset_state` before new sequences. A batch may
    contain sequences of different lengths, sorted longest first: omit sequences that have ended.

    Args: see `LSTMBase`.

    Attributes:
        c, h: Cells and output, or None.

    >>> import numpy as np
    >>> layer = LSTM(3, 5)
    >>> for _ in range(4):  # one step at a time; the layer remembers its state
    ...     h = layer(np.ones((2, 3), np.float32))
    >>> h.shape
    (2, 5)
    >>> layer.reset_state()  # before another sequence
    """

    def forward(self, x: Any) -> Variable:
        """One step: the output ``(N, out_size)`` for the input ``(N, in_size)``.

        Raises:
            TypeError: There are more sequences than in the previous step.
        """
        n = x.shape[0]
        h, ended = self.h, None
        if h is not None:
            before = h.shape[0]
            if before < n:
                raise TypeError(
                    f"LSTM: {n} sequences after {before}: there cannot be more than in the previous step. "
                    "Sort them, longest first, and call reset_state() where new ones begin."
                )
            if before > n:
                h, ended = split_axis(h, [n], axis=0)
        self.c, y = self._step(self.c, h, x)
        self.h = y if ended is None else concat((y, ended), axis=0)
        return y
