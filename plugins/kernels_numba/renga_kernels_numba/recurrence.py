"""Layers of long short-term memories and of gated recurrent units: a step is one product and one loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_core.graph.operators.product import multiply_matrices
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import CELLS

__all__ = ["Recurrence", "supports"]

Arrays = Sequence[Array]

_LSTM = Loop("recurrence:lstm", "f4* f4* f4* f4* f4* f4* f4* f4* f4* f4* f4* i8 i8 i8")
_LSTM_BACK = Loop("recurrence:lstm_back", "f4* f4* f4* f4* f4* f4* f4* i8 i8 i8")
_GRU = Loop("recurrence:gru", "f4* f4* f4* f4* f4* f4* f4* f4* f4* i8 i8 i8")
_GRU_BACK = Loop("recurrence:gru_back", "f4* f4* f4* f4* f4* f4* f4* i8 i8 i8")


def supports(walk: Any, *inputs: Array) -> bool:
    """Whether the cell is one of the two, and all arrays are float32 with elements."""
    return walk.cell.name in ("lstm", "gru") and is_single(*inputs)


class Recurrence:
    """Operation ``recurrence``."""

    @staticmethod
    def forward(
        walk: Any, x: Array, Wx: Array, bx: Array, Wh: Array, bh: Array, *initial: Array
    ) -> tuple[Array | list[Array], ...]:
        """As the reference; what is kept is an array for all steps of what the loop keeps of one."""
        units = Wh.shape[1]
        of_x = multiply_matrices(x, Wx.T)
        bx, bh = np.ascontiguousarray(bx), np.ascontiguousarray(bh)
        states = [np.array(state, order="C") for state in initial]
        ys = np.empty((x.shape[0], units), np.float32)
        loop, singles = (_LSTM, 3) if walk.cell.name == "lstm" else (_GRU, 2)
        room = x.shape[0] if walk.keep else max(walk.sizes)
        kept = [np.empty((room, n * units), np.float32) for n in (walk.cell.gates, *[1] * singles)]
        places = [address(a) for a in (bx, bh, *states)]
        for rows in walk.steps():
            n = rows.stop - rows.start
            of_h = multiply_matrices(states[0][:n], Wh.T)
            keep = rows if walk.keep else slice(n)
            more = [address(a[keep]) for a in kept]
            _run(loop, n, units, address(of_x[rows]), address(of_h), *places, address(ys[rows]), *more)
        return ys, *states, kept

    @staticmethod
    def backward(walk: Any, inputs: Arrays, kept: Arrays, gradients: Sequence[Array | None]) -> tuple[Array, ...]:
        """See the reference."""
        x, Wx, _, Wh, _, *initial = inputs
        total, units = kept[1].shape
        gys = np.zeros((total, units), np.float32) if gradients[0] is None else np.ascontiguousarray(gradients[0])
        gstates = [
            np.zeros(s.shape, np.float32) if g is None else np.array(g, order="C")
            for s, g in zip(initial, gradients[1:], strict=True)
        ]
        gof_x = np.empty(kept[0].shape, np.float32)
        if walk.cell.name == "lstm":
            gates, h_before, *rest = kept
            loop, used, made = _LSTM_BACK, [gates, *rest], [gof_x]
        else:
            h_before = kept[1]
            loop, used, made = _GRU_BACK, list(kept), [gof_x, np.empty(gof_x.shape, np.float32)]
        places = [address(g) for g in gstates]
        for rows in reversed(list(walk.steps())):
            n = rows.stop - rows.start
            given = [address(a[rows]) for a in (*used, gys)]
            _run(loop, n, units, *given, *places, *[address(g[rows]) for g in made])
            by_product = multiply_matrices(made[-1][rows], Wh)
            if walk.cell.adds:
                gstates[0][:n] = by_product
            else:
                gstates[0][:n] += by_product
        gof_h = made[-1]
        gbx, gbh = gof_x.sum(axis=0), gof_h.sum(axis=0)
        gWx, gWh = multiply_matrices(gof_x.T, x), multiply_matrices(gof_h.T, h_before)
        return multiply_matrices(gof_x, Wx), gWx, gbx, gWh, gbh, *gstates


def _run(loop: Loop, rows: int, units: int, *places: int) -> None:
    size = max(1, CELLS // units)
    loop(-(-rows // size), *places, rows, units, size)
