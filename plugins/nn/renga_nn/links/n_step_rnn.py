"""Multi-layer recurrent networks over whole sequences of different lengths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import get_device_of
from renga_core.graph import InvalidType, Parameter, Variable
from renga_core.graph.errors import describe_array
from renga_core.link import ChainList, Link
from renga_nn.functions.array import permutate
from renga_nn.functions.array.sequences import require_sequences
from renga_nn.functions.array.transpose_sequence import Regroup
from renga_nn.functions.rnn.n_step import n_step_packed
from renga_nn.functions.rnn.n_step_gru import GRU_CELL
from renga_nn.functions.rnn.n_step_lstm import LSTM_CELL
from renga_nn.functions.rnn.n_step_rnn import RNN_CELLS
from renga_nn.functions.rnn.recurrence import Cell
from renga_nn.initializers import Normal, get_initializer

__all__ = [
    "NStepBiGRU",
    "NStepBiLSTM",
    "NStepBiRNNReLU",
    "NStepBiRNNTanh",
    "NStepGRU",
    "NStepLSTM",
    "NStepRNNReLU",
    "NStepRNNTanh",
]


class NStepRNNBase(ChainList):
    """The base of multi-layer recurrent networks.

    Sequences may have any order and any lengths; internally, one step of all sequences is computed at once.

    Args:
        n_layers: Number of layers S.
        in_size: Number of input features.
        out_size: Number of units N.
        dropout: Dropout ratio between layers.
        initialW: Initializer of weights. Default: normal with standard deviation ``1 / sqrt(inputs)``.
        initial_bias: Initializer of biases. Default: 0.

    Attributes:
        ws, bs: Weights and biases: for each layer (and direction) a list, in the order of the function.
        cell: The computation of one step. direction: 1, or 2 if bidirectional.

    There is one child link per layer (and direction), with parameters ``w0 ... b0 ...``.
    """

    cell: ClassVar[Cell]
    direction: ClassVar[int] = 1

    def __init__(
        self,
        n_layers: int,
        in_size: int,
        out_size: int,
        dropout: float,
        *,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        self.n_layers = n_layers
        self.dropout = dropout
        self.out_size = out_size
        for layer in range(n_layers):
            width = out_size * self.direction if layer else in_size
            for _ in range(self.direction):
                part = Link()
                with part.init_scope():
                    for j in range(2 * self.cell.gates):
                        inputs = width if j < self.cell.gates else out_size
                        weights = Normal(math.sqrt(1 / inputs)) if initialW is None else get_initializer(initialW)
                        setattr(part, f"w{j}", Parameter(weights, (out_size, inputs)))
                        biases = get_initializer(0 if initial_bias is None else initial_bias)
                        setattr(part, f"b{j}", Parameter(biases, (out_size,)))
                self.append(part)

    @property
    def ws(self) -> list[list[Parameter]]:
        """Weights."""
        return [[getattr(part, f"w{j}") for j in range(2 * self.cell.gates)] for part in self]

    @property
    def bs(self) -> list[list[Parameter]]:
        """Biases."""
        return [[getattr(part, f"b{j}") for j in range(2 * self.cell.gates)] for part in self]

    @property
    def n_cells(self) -> int:
        """Number of state arrays: 1, or 2 if there are cells besides the output."""
        return self.cell.states

    def init_hx(self, xs: Sequence[Any]) -> Variable:
        """An initial state for these sequences: zeros ``(directions S, B, N)``."""
        shape = (self.n_layers * self.direction, len(xs), self.out_size)
        return Variable(self.xp.zeros(shape, dtype=xs[0].dtype), requires_grad=False)

    def _run(self, states: Sequence[Any], xs: Sequence[Any]) -> tuple[list[Variable], list[Variable]]:
        """Sort the sequences, run all layers, and restore the order."""
        name = type(self).__name__
        require_sequences(name, xs)
        features = self[0].w0.shape[1]
        if xs[0].shape[1:] != (features,):
            raise InvalidType(name, "xs", f"sequences (length, {features})", describe_array(xs[0]))
        expected = (self.n_layers * self.direction, len(xs), self.out_size)
        for label, state in zip(("hx", "cx"), states, strict=False):
            if state is not None and tuple(state.shape) != expected:
                raise InvalidType(name, label, f"{expected} for {len(xs)} sequences", describe_array(state))
        lengths = np.array([x.shape[0] for x in xs])
        by_length = np.argsort(-lengths, kind="stable")
        rank = np.argsort(by_length, kind="stable")
        times = np.concatenate([np.arange(length) for length in lengths])
        order = np.lexsort((np.repeat(rank, lengths), times))
        # At least one step, even without rows, if all sequences are empty.
        sizes = np.bincount(times, minlength=1).tolist()
        initial = [self.init_hx(xs) if state is None else state for state in states]
        sorted_already = bool((lengths[1:] <= lengths[:-1]).all())
        there = None if sorted_already else get_device_of(xs[0]).send(by_length)
        if there is not None:
            initial = [permutate(state, there, axis=1) for state in initial]
        (steps,) = Regroup(order, [times.size]).apply(xs)
        final, packed = n_step_packed(
            self.cell, self.direction, self.n_layers, self.dropout, initial, self.ws, self.bs, steps, sizes
        )
        ys = Regroup(np.argsort(order), lengths.tolist()).apply((packed,))
        if there is not None:
            final = [permutate(state, there, axis=1, inv=True) for state in final]
        return final, list(ys)


class _WithoutCells(NStepRNNBase):
    """The base for cells whose output is the whole state."""

    def forward(self, hx: Any, xs: Sequence[Any]) -> tuple[Variable, list[Variable]]:
        """Run all layers over all steps.

        Args:
            hx: Initial outputs ``(directions S, B, N)``, or None for zeros.
            xs: B sequences ``(length_i, in_size)``, in any order.

        Returns:
            Final outputs ``(directions S, B, N)``; and for each sequence the outputs of the last layer
            ``(length_i, directions N)``.

        Raises:
            InvalidType: Shapes or dtypes do not fit.
        """
        (hy,), ys = self._run((hx,), xs)
        return hy, ys


class NStepLSTMBase(NStepRNNBase):
    """Multi-layer long short-term memory, in one direction or both."""

    cell = LSTM_CELL

    def forward(self, hx: Any, cx: Any, xs: Sequence[Any]) -> tuple[Variable, Variable, list[Variable]]:
        """Run all layers over all steps.

        Args:
            hx, cx: Initial outputs and cells ``(directions S, B, N)``, or None for zeros.
            xs: B sequences ``(length_i, in_size)``, in any order.

        Returns:
            Final outputs and cells ``(directions S, B, N)``; and for each sequence the outputs of the last layer
            ``(length_i, directions N)``.

        Raises:
            InvalidType: Shapes or dtypes do not fit.
        """
        (hy, cy), ys = self._run((hx, cx), xs)
        return hy, cy, ys


class NStepLSTM(NStepLSTMBase):
    """Multi-layer long short-term memory: see `renga.functions.n_step_lstm`.

    Args: see `NStepRNNBase`.

    >>> import numpy as np
    >>> layer = NStepLSTM(n_layers=2, in_size=3, out_size=5, dropout=0.0)
    >>> sequences = [np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)]
    >>> h, c, ys = layer(None, None, sequences)
    >>> h.shape, [y.shape for y in ys]
    ((2, 2, 5), [(4, 5), (2, 5)])
    """


class NStepBiLSTM(NStepLSTMBase):
    """Bidirectional multi-layer long short-term memory: see `renga.functions.n_step_bilstm`.

    Args: see `NStepRNNBase`.

    >>> import numpy as np
    >>> layer = NStepBiLSTM(n_layers=1, in_size=3, out_size=5, dropout=0.0)
    >>> h, c, ys = layer(None, None, [np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)])
    >>> h.shape, [y.shape for y in ys]
    ((2, 2, 5), [(4, 10), (2, 10)])
    """

    direction = 2


class NStepGRUBase(_WithoutCells):
    """Multi-layer gated recurrent units, in one direction or both."""

    cell = GRU_CELL


class NStepGRU(NStepGRUBase):
    """Multi-layer gated recurrent units: see `renga.functions.n_step_gru`.

    Args: see `NStepRNNBase`.

    >>> import numpy as np
    >>> layer = NStepGRU(n_layers=1, in_size=3, out_size=5, dropout=0.0)
    >>> h, ys = layer(None, [np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)])
    >>> h.shape, [y.shape for y in ys]
    ((1, 2, 5), [(4, 5), (2, 5)])
    """


class NStepBiGRU(NStepGRUBase):
    """Bidirectional multi-layer gated recurrent units: see `renga.functions.n_step_bigru`.

    Args: see `NStepRNNBase`.

    >>> import numpy as np
    >>> layer = NStepBiGRU(n_layers=1, in_size=3, out_size=5, dropout=0.0)
    >>> h, ys = layer(None, [np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)])
    >>> [y.shape for y in ys]
    [(4, 10), (2, 10)]
    """

    direction = 2


class NStepRNNTanh(_WithoutCells):
    """Multi-layer plain recurrent network with tanh: see `renga.functions.n_step_rnn`.

    Args: see `NStepRNNBase`.

    >>> import numpy as np
    >>> layer = NStepRNNTanh(n_layers=1, in_size=3, out_size=5, dropout=0.0)
    >>> h, ys = layer(None, [np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)])
    >>> [y.shape for y in ys]
    [(4, 5), (2, 5)]
    """

    cell = RNN_CELLS["tanh"]


class NStepRNNReLU(_WithoutCells):
    """Multi-layer plain recurrent network with ReLU: see `renga.functions.n_step_rnn`.

    Args: see `NStepRNNBase`.

    >>> import numpy as np
    >>> layer = NStepRNNReLU(n_layers=1, in_size=3, out_size=5, dropout=0.0)
    >>> h, ys = layer(None, [np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)])
    >>> [y.shape for y in ys]
    [(4, 5), (2, 5)]
    """

    cell = RNN_CELLS["relu"]


class NStepBiRNNTanh(_WithoutCells):
    """Bidirectional multi-layer plain recurrent network with tanh: see `renga.functions.n_step_birnn`.

    Args: see `NStepRNNBase`.

    >>> import numpy as np
    >>> layer = NStepBiRNNTanh(n_layers=1, in_size=3, out_size=5, dropout=0.0)
    >>> h, ys = layer(None, [np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)])
    >>> [y.shape for y in ys]
    [(4, 10), (2, 10)]
    """

    cell = RNN_CELLS["tanh"]
    direction = 2


class NStepBiRNNReLU(_WithoutCells):
    """Bidirectional multi-layer plain recurrent network with ReLU: see `renga.functions.n_step_birnn`.

    Args: see `NStepRNNBase`.

    >>> import numpy as np
    >>> layer = NStepBiRNNReLU(n_layers=1, in_size=3, out_size=5, dropout=0.0)
    >>> h, ys = layer(None, [np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)])
    >>> [y.shape for y in ys]
    [(4, 10), (2, 10)]
    """

    cell = RNN_CELLS["relu"]
    direction = 2
