"""Layers of long short-term memories: one loop over all steps, with the recurrent products inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_backend_numpy import cores
from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_core.graph.operators.product import multiply_matrices
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import LANES

__all__ = ["LSTMLayer", "supports"]

Arrays = Sequence[Array]

_PACK_FORWARD = Loop("lstm_layer:pack_forward", "f4* f4* i8", alone=4)
_PACK_BACKWARD = Loop("lstm_layer:pack_backward", "f4* f4* i8", alone=4)
_FORWARD = Loop("lstm_layer:forward", "i8* i8* f4* f4* f4* f4* f4* f4* f4* f4* f4* i8 i8 i8 i8 i8")
_BACKWARD = Loop("lstm_layer:backward", "i8* i8* f4* f4* f4* f4* f4* f4* f4* f4* f4* i8 i8 i8 i8 i8 i8")

_WIDTH = 128
"""Units of a piece, if there are more threads than groups of sequences."""

_ROWS = 12
"""Most sequences of a group: as many as a tile of `renga_kernels_numba.loops.tiles` has rows."""

_FEW = 8
"""Fewer sequences are one group: low tiles would wait for their additions."""


def supports(walk: Any, *inputs: Array) -> bool:
    """Whether it is a long short-term memory in float32, whose units are a multiple of 16."""
    units = inputs[3].shape[1]
    return walk.cell.name == "lstm" and units > 0 and units % LANES == 0 and is_single(*inputs)


class LSTMLayer:
    """Operation ``recurrence``."""

    @staticmethod
    def forward(
        walk: Any, x: Array, Wx: Array, bx: Array, Wh: Array, bh: Array, h: Array, c: Array
    ) -> tuple[Array, Array, Array, list[Array]]:
        """See the reference."""
        rows, units = x.shape[0], Wh.shape[1]
        gates = np.ascontiguousarray(multiply_matrices(x, Wx.T))
        y, h_before, c_before, tanh_c = np.empty((4, rows, units), np.float32)
        steps = list(walk.steps())
        begun = 0
        for step in steps:
            ends = step.stop - step.start
            if ends > begun:
                h_before[step.start + begun : step.stop] = h[begun:ends]
            begun = ends
        states = [np.array(state, order="C") for state in (h, c)]
        bias = bx + bh
        packed = _packed(_PACK_FORWARD, Wh)
        arrays = (packed, bias, gates, h_before, c_before, tanh_c, y, *states)
        _run(_FORWARD, steps, 0, arrays, len(h), units)
        return y, *states, [gates, h_before, c_before, tanh_c]

    @staticmethod
    def backward(walk: Any, inputs: Arrays, kept: Arrays, gradients: Sequence[Array | None]) -> tuple[Array, ...]:
        """See the reference."""
        x, Wx, _, Wh, _, *initial = inputs
        gates, h_before, c_before, tanh_c = kept
        gy, *gstates = [
            np.zeros(a.shape, np.float32) if g is None else g
            for a, g in zip((h_before, *initial), gradients, strict=True)
        ]
        gstates = [np.array(g, order="C") for g in gstates]
        rows, columns = gates.shape
        # Rows a power of two apart would meet in the same places of the caches.
        ggates = np.empty((rows, columns + LANES), np.float32)[:, :columns]
        sequences = len(initial[0])
        gbiases, gy = np.empty((_groups(sequences), columns), np.float32), np.ascontiguousarray(gy)
        arrays = (_packed(_PACK_BACKWARD, Wh), gates, c_before, tanh_c, gy, *gstates, ggates, gbiases)
        _run(_BACKWARD, list(walk.steps())[::-1], 1, arrays, sequences, Wh.shape[1], columns + LANES)
        gbias = gbiases.sum(axis=0)
        gWx, gWh = multiply_matrices(ggates.T, x), multiply_matrices(ggates.T, h_before)
        return multiply_matrices(ggates, Wx), gWx, gbias, gWh, gbias.copy(), *gstates


def _groups(sequences: int) -> int:
    """How many groups of sequences there are: an even number, for two threads; the same for any number of threads."""
    return 1 if sequences < _FEW else 2 * -(-sequences // (2 * _ROWS))


def _packed(loop: Loop, Wh: Array) -> Array:
    """Recurrent weights, packed."""
    W = np.ascontiguousarray(Wh)
    packed, units = np.empty_like(W), W.shape[1]
    loop(units // LANES, address(W), address(packed), units)
    return packed


def _run(
    loop: Loop, steps: Sequence[slice], more: int, arrays: Arrays, sequences: int, units: int, *sizes: int
) -> None:
    """Call a loop over `steps`, and `more` steps."""
    number, groups = len(steps), _groups(sequences)
    done = np.zeros((groups, number), np.int64)
    rows = np.array([(step.start, step.stop - step.start) for step in steps], np.int64)
    width = units if groups >= cores.threads() else _WIDTH
    blocks = -(-units // width)
    pieces = groups if blocks == 1 else (number + more) * groups * blocks
    loop(pieces, *map(address, (done, rows, *arrays)), number, sequences, groups, units, width, *sizes)
