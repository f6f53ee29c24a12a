"""One step of long short-term memories, whose gates a, i, f, o are interleaved; see `renga_nn.functions.rnn.lstm`."""

from __future__ import annotations

from numba import float32

from renga_kernels_numba.loops.intrinsics import Floats, loop
from renga_kernels_numba.loops.mathematics import sigmoid, tanh
from renga_kernels_numba.loops.pieces import CELLS

__all__ = ["backward", "forward"]

_ONE = float32(1)
_ZERO = float32(0)


@loop
def forward(piece: int, c_prev: Floats, x: Floats, c: Floats, h: Floats, size: int) -> None:
    """``c = tanh(a) * sigmoid(i) + c_prev * sigmoid(f)``; ``h = tanh(c) * sigmoid(o)``."""
    for k in range(piece * CELLS, min(size, (piece + 1) * CELLS)):
        new = tanh(x[4 * k]) * sigmoid(x[4 * k + 1]) + c_prev[k] * sigmoid(x[4 * k + 2])
        c[k] = new
        h[k] = tanh(new) * sigmoid(x[4 * k + 3])


@loop
def backward(
    piece: int,
    c_prev: Floats,
    x: Floats,
    c: Floats,
    gc: Floats,
    gh: Floats,
    gc_prev: Floats,
    gx: Floats,
    size: int,
    by_output: int,
) -> None:
    """The chain rule through both formulas. Unless `by_output`, there is no gradient of h, and `gh` is zeros."""
    for k in range(piece * CELLS, min(size, (piece + 1) * CELLS)):
        a, i, f, o = tanh(x[4 * k]), sigmoid(x[4 * k + 1]), sigmoid(x[4 * k + 2]), sigmoid(x[4 * k + 3])
        tanh_c = tanh(c[k])
        if not by_output:  # then NaN there does not come through
            o, tanh_c = _ZERO, _ZERO
        of_o = gh[k] * tanh_c
        here = gc[k] + (gh[k] - of_o * tanh_c) * o  # the gradient of c: directly, and through the output
        gc_prev[k] = here * f
        gx[4 * k] = here * i * (_ONE - a * a)
        gx[4 * k + 1] = here * a * i * (_ONE - i)
        gx[4 * k + 2] = here * c_prev[k] * f * (_ONE - f)
        gx[4 * k + 3] = of_o * o * (_ONE - o)
