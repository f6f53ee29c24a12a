"""Layers of long short-term memories: one loop over all steps, with the recurrent products inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_core.graph.operators.product import multiply_matrices
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import LANES

__all__ = ["LSTMLayer", "supports"]

Arrays = Sequence[Array]

_FORWARD = Loop("lstm_layer:forward", "i8* i8* f4* f4* f4* f4* f4* f4* f4* f4* f4* f4* i8 i8 i8")
_BACKWARD = Loop("lstm_layer:backward", "i8* i8* f4* f4* f4* f4* f4* f4* f4* f4* f4* f4* i8 i8 i8 i8")

_WIDTH = 128
"""Units of a piece."""


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
        W, bias = np.ascontiguousarray(Wh), bx + bh
        arrays = (W, np.empty_like(W), bias, gates, h_before, c_before, tanh_c, y, *states)
        _run(_FORWARD, steps, 0, arrays, units, _WIDTH)
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
        gbias = np.empty(columns, np.float32)
        W, gy = np.ascontiguousarray(Wh), np.ascontiguousarray(gy)
        arrays = (W, np.empty_like(W), gates, c_before, tanh_c, gy, *gstates, ggates, gbias)
        _run(_BACKWARD, list(walk.steps())[::-1], 1, arrays, Wh.shape[1], _WIDTH, columns + LANES)
        gWx, gWh = multiply_matrices(ggates.T, x), multiply_matrices(ggates.T, h_before)
        return multiply_matrices(ggates, Wx), gWx, gbias, gWh, gbias.copy(), *gstates


def _run(loop: Loop, steps: Sequence[slice], more: int, arrays: Arrays, units: int, *sizes: int) -> None:
    """Call a loop over `steps`, and `more` steps."""
    number = len(steps)
    done = np.zeros(number, np.int64)
    rows = np.array([(step.start, step.stop - step.start) for step in steps], np.int64)
    blocks = -(-units // _WIDTH)
    loop((number + more) * blocks, *map(address, (done, rows, *arrays)), number, units, *sizes)
