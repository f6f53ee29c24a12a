"""Steps of recurrent layers, forward and back, between the products of matrices.

Arrays are of the rows of one step: gates ``(n, gates * units)``, all others ``(n, units)``.
"""

from __future__ import annotations

from numba import float32

from renga_kernels_numba.loops.intrinsics import Floats, loop
from renga_kernels_numba.loops.mathematics import sigmoid, tanh

__all__ = ["gru", "gru_back", "lstm", "lstm_back"]

_ONE = float32(1)


@loop
def lstm(
    piece: int,
    of_x: Floats,
    of_h: Floats,
    bx: Floats,
    bh: Floats,
    h: Floats,
    c: Floats,
    y: Floats,
    gates: Floats,
    h_before: Floats,
    c_before: Floats,
    tanh_c: Floats,
    rows: int,
    units: int,
    size: int,
) -> None:
    """``c = f * c + i * a``; ``h = o * tanh(c)``; gates are i, f, a, o.

    Args:
        piece: Which `size` rows.
        of_x, of_h: Products of input and state with their weights.
        bx, bh: Biases of both.
        h, c: The states, which are changed.
        y: The output: h once more.
        gates, h_before, c_before, tanh_c: What `lstm_back` takes.
        rows, units, size: Sizes.
    """
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        at, gate = row * units, 4 * row * units
        for j in range(units):
            jf, ja, jo = j + units, j + 2 * units, j + 3 * units
            gates[gate + j] = sigmoid(of_x[gate + j] + of_h[gate + j] + (bx[j] + bh[j]))
            gates[gate + jf] = sigmoid(of_x[gate + jf] + of_h[gate + jf] + (bx[jf] + bh[jf]))
            gates[gate + ja] = tanh(of_x[gate + ja] + of_h[gate + ja] + (bx[ja] + bh[ja]))
            gates[gate + jo] = sigmoid(of_x[gate + jo] + of_h[gate + jo] + (bx[jo] + bh[jo]))
        for j in range(units):  # a loop of its own: over all these arrays at once, the compiler does not vectorize
            i, f = gates[gate + j], gates[gate + j + units]
            a, o = gates[gate + j + 2 * units], gates[gate + j + 3 * units]
            before = c[at + j]
            new = f * before + i * a
            tanh_new = tanh(new)
            h_before[at + j], c_before[at + j], tanh_c[at + j] = h[at + j], before, tanh_new
            c[at + j] = new
            h[at + j] = y[at + j] = o * tanh_new


@loop
def lstm_back(
    piece: int,
    gates: Floats,
    c_before: Floats,
    tanh_c: Floats,
    gy: Floats,
    gh: Floats,
    gc: Floats,
    ggates: Floats,
    rows: int,
    units: int,
    size: int,
) -> None:
    """The chain rule through `lstm`.

    Args:
        piece: Which `size` rows.
        gates, c_before, tanh_c: From `lstm`.
        gy, gh: Gradients of the output, and of h from the step after.
        gc: Gradient of the new cells; is changed to that of the old.
        ggates: Becomes the gradient of the sums that the gates are functions of.
        rows, units, size: Sizes.
    """
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        at, gate = row * units, 4 * row * units
        for j in range(units):
            jf, ja, jo = gate + j + units, gate + j + 2 * units, gate + j + 3 * units
            i, f, a, o = gates[gate + j], gates[jf], gates[ja], gates[jo]
            g = gy[at + j] + gh[at + j]
            of_o = g * tanh_c[at + j]
            total = gc[at + j] + (g - of_o * tanh_c[at + j]) * o
            ggates[gate + j] = total * a * i * (_ONE - i)
            ggates[jf] = total * c_before[at + j] * f * (_ONE - f)
            ggates[ja] = total * i * (_ONE - a * a)
            ggates[jo] = of_o * o * (_ONE - o)
            gc[at + j] = total * f


@loop
def gru(
    piece: int,
    of_x: Floats,
    of_h: Floats,
    bx: Floats,
    bh: Floats,
    h: Floats,
    y: Floats,
    gates: Floats,
    h_before: Floats,
    inner: Floats,
    rows: int,
    units: int,
    size: int,
) -> None:
    """``a = tanh(x_a + r * inner)``; ``h = a + z * (h - a)``; gates are r, z, a. Arguments as of `lstm`."""
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        at, gate = row * units, 3 * row * units
        for j in range(units):
            jz, ja = j + units, j + 2 * units
            r = sigmoid(of_x[gate + j] + of_h[gate + j] + (bx[j] + bh[j]))
            z = sigmoid(of_x[gate + jz] + of_h[gate + jz] + (bx[jz] + bh[jz]))
            of_state = of_h[gate + ja] + bh[ja]
            a = tanh(of_x[gate + ja] + bx[ja] + r * of_state)
            before = h[at + j]
            gates[gate + j], gates[gate + jz], gates[gate + ja] = r, z, a
            h_before[at + j], inner[at + j] = before, of_state
            h[at + j] = y[at + j] = a + z * (before - a)


@loop
def gru_back(
    piece: int,
    gates: Floats,
    h_before: Floats,
    inner: Floats,
    gy: Floats,
    gh: Floats,
    gof_x: Floats,
    gof_h: Floats,
    rows: int,
    units: int,
    size: int,
) -> None:
    """The chain rule through `gru`.

    Args:
        piece: Which `size` rows.
        gates, h_before, inner: From `gru`.
        gy: Gradient of the output.
        gh: Gradient of the new h from the step after; is changed to that of the old, but for what goes by its product.
        gof_x, gof_h: Become the gradients of the products.
        rows, units, size: Sizes.
    """
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        at, gate = row * units, 3 * row * units
        for j in range(units):
            jz, ja = gate + j + units, gate + j + 2 * units
            r, z, a = gates[gate + j], gates[jz], gates[ja]
            g = gy[at + j] + gh[at + j]
            ga = g * (_ONE - z) * (_ONE - a * a)
            gr = ga * inner[at + j] * r * (_ONE - r)
            gz = g * (h_before[at + j] - a) * z * (_ONE - z)
            gof_x[gate + j], gof_x[jz], gof_x[ja] = gr, gz, ga
            gof_h[gate + j], gof_h[jz], gof_h[ja] = gr, gz, ga * r
            gh[at + j] = g * z
