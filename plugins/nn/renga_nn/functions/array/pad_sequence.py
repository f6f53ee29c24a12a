"""Padding sequences of different lengths to one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import FunctionNode
from renga_nn.functions.array.sequences import require_sequences
from renga_nn.functions.checks import as_integer, as_number

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["pad_sequence"]


def pad_sequence(xs: Sequence[Any], length: int | None = None, padding: float = 0) -> Variable:
    """Put sequences into one array, padding the short ones at their ends.

    Args:
        xs: Variables or arrays ``(length_i, *features)`` of one dtype.
        length: The common length; None: the length of the longest sequence.
        padding: The value to pad with.

    Returns:
        Variable ``(len(xs), length, *features)``.

    Raises:
        InvalidType: There are no sequences, or their features or dtypes differ.
        ValueError: A sequence is longer than `length`.

    >>> import numpy as np
    >>> pad_sequence([np.array([1.0, 2.0, 3.0]), np.array([4.0])], padding=-1).array.tolist()
    [[1.0, 2.0, 3.0], [4.0, -1.0, -1.0]]
    """
    require_sequences("pad_sequence", xs)
    longest = max(x.shape[0] for x in xs)
    length = longest if length is None else as_integer("pad_sequence", "length", length)
    if length < longest:
        raise ValueError(f"pad_sequence: a sequence of {longest} elements does not fit into a length of {length}")
    return PadSequence(length, as_number("pad_sequence", "padding", padding)).apply(xs)[0]


class PadSequence(FunctionNode):
    """Write each sequence into a row of an array; its gradient is the beginning of this row."""

    def __init__(self, length: int, padding: float) -> None:
        self.length = length
        self.padding = padding

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Fill, then write sequence by sequence."""
        first = inputs[0]
        shape = (len(inputs), self.length, *first.shape[1:])
        # -1 means the largest number of an unsigned dtype; NumPy 2 would refuse it.
        padding = np.asarray(self.padding).astype(first.dtype).item()
        y = get_array_module(*inputs).full(shape, padding, dtype=first.dtype)
        for row, x in enumerate(inputs):
            y[row, : x.shape[0]] = x
        return (y,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Beginnings of rows, as views."""
        return [grad_outputs[0][i, : self.inputs[i].shape[0]] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same in one node, so that the second gradient is one array instead of one per sequence."""
        return UnpadSequence([x.shape[0] for x in self.inputs]).apply((grad_outputs[0],))


class UnpadSequence(FunctionNode):
    """The beginnings of rows, in given lengths; the gradients are padded with zeros."""

    fresh_gradients = True

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = lengths

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Views where the library has views."""
        return tuple([inputs[0][row, :length] for row, length in enumerate(self.lengths)])

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Padded."""
        given = next(gy for gy in grad_outputs if gy is not None)
        gx = get_backend(given).xp.zeros(self.inputs[0].shape, dtype=given.dtype)
        for row, gy in enumerate(grad_outputs):
            if gy is not None:
                gx[row, : self.lengths[row]] = gy
        return (gx,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Padded."""
        given = next(gy for gy in grad_outputs if gy is not None)
        length, *features = self.inputs[0].shape[1:]
        pieces = [
            given.xp.zeros((n, *features), dtype=given.dtype) if gy is None else gy
            for n, gy in zip(self.lengths, grad_outputs, strict=True)
        ]
        return PadSequence(length, 0).apply(pieces)
