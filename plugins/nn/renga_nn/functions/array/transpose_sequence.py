"""Transposing a batch of sequences to a sequence of batches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_device_of
from renga_core.graph import FunctionNode, InvalidType
from renga_nn.functions.array.sequences import require_sequences

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["transpose_sequence"]


def transpose_sequence(xs: Sequence[Any]) -> tuple[Variable, ...]:
    """For each time step, collect the elements of all sequences.

    Args:
        xs: Variables or arrays ``(length_i, *features)`` of one dtype, the longest first.

    Returns:
        As many Variables as the longest sequence has elements. The Variable of time t is ``(n_t, *features)``, with one
        element of each of the n_t sequences that are longer than t.

    Raises:
        InvalidType: Features or dtypes differ, or the lengths are not in descending order.

    >>> import numpy as np
    >>> xs = [np.array([1.0, 2.0, 3.0]), np.array([4.0])]
    >>> [y.array.tolist() for y in transpose_sequence(xs)]
    [[1.0, 4.0], [2.0], [3.0]]
    """
    if isinstance(xs, (list, tuple)) and not xs:
        return ()
    require_sequences("transpose_sequence", xs)
    lengths = np.array([x.shape[0] for x in xs])
    if (lengths[1:] > lengths[:-1]).any():
        hint = "Sort the sequences by length."
        raise InvalidType("transpose_sequence", "xs", "lengths in descending order", str(lengths.tolist()), hint)
    times = np.concatenate([np.arange(length) for length in lengths])
    return Regroup(np.argsort(times, kind="stable"), np.bincount(times).tolist()).apply(xs) if times.size else ()


class Regroup(FunctionNode):
    """Permute all rows of all inputs, and split them into other lengths; gradients are permuted back.

    Args:
        order: For each row of the outputs, its position among the rows of the inputs: a permutation, on the host.
        lengths: Number of rows of each output.
    """

    def __init__(self, order: np.ndarray[Any, Any], lengths: Sequence[int]) -> None:
        self.order = order
        self.lengths = lengths

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Join, gather, cut."""
        joined = inputs[0] if len(inputs) == 1 else get_array_module(*inputs).concatenate(inputs, axis=0)
        return _cut(joined[get_device_of(joined).send(self.order)], self.lengths)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The inverse permutation, split into the lengths of the inputs."""
        return self._back().forward(tuple(self._given(grad_outputs)))

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        return self._back().apply(self._given(grad_outputs))

    def _back(self) -> Regroup:
        return Regroup(np.argsort(self.order), [x.shape[0] for x in self.inputs])

    def _given(self, grad_outputs: Sequence[Any]) -> list[Any]:
        """The gradients, with zeros for missing ones."""
        given = next(gy for gy in grad_outputs if gy is not None)
        xp = get_array_module(given)
        features = self.inputs[0].shape[1:]
        return [
            xp.zeros((length, *features), dtype=given.dtype) if gy is None else gy
            for length, gy in zip(self.lengths, grad_outputs, strict=True)
        ]


def _cut(rows: Array, lengths: Sequence[int]) -> tuple[Array, ...]:
    return tuple([rows[start:stop] for start, stop in pairwise(accumulate(lengths, initial=0))])
