"""A layer of long short-term memories over all steps, forward and back, its recurrent products included.

A piece is a step of some units of all sequences. Pieces are taken in the order of steps, and those of a step wait
for all of the step before. So threads meet in shared memory once a step, and no thread is woken in between.

Arrays are those of `renga_kernels_numba.recurrence`: gates ``(rows, 4 * units)`` are i, f, a, o; rows are of all steps.
"""

from __future__ import annotations

from numba import float32

from renga_kernels_numba.loops.intrinsics import Floats, Longs, inline, loop
from renga_kernels_numba.loops.mathematics import sigmoid, tanh
from renga_kernels_numba.loops.pieces import LANES
from renga_kernels_numba.loops.tiles import add_product, clear, pack_columns, pack_rows
from renga_kernels_numba.loops.waiting import finish, wait

__all__ = ["backward", "forward"]

_ONE = float32(1)


@loop
def forward(
    piece: int,
    done: Longs,
    steps: Longs,
    W: Floats,
    packed: Floats,
    bias: Floats,
    gates: Floats,
    h_before: Floats,
    c_before: Floats,
    tanh_c: Floats,
    y: Floats,
    h: Floats,
    c: Floats,
    number: int,
    units: int,
    width: int,
) -> None:
    """``c = f * c + i * a``; ``h = o * tanh(c)``.

    Args:
        piece: Which units of which step.
        done: A counter for each step, of its pieces that are done; zeros.
        steps: The first row and the number of rows of each step.
        W: Recurrent weights ``(4 * units, units)``.
        packed: Room for them.
        bias: Of both products ``(4 * units,)``.
        gates: Products of the inputs with their weights; become the gates.
        h_before: Output of the step before. Rows of sequences that begin are filled.
        c_before, tanh_c: Cells before, and ``tanh`` of the cells.
        y: Output.
        h, c: The states, which are changed.
        number, units: Sizes; units are a multiple of `LANES`.
    """
    blocks = -(-units // width)
    step, unit = piece // blocks, piece % blocks * width
    lanes = min(width, units - unit)
    begin, rows = steps[2 * step], steps[2 * step + 1]
    if step:
        wait(done, step - 1, blocks)
    else:
        for panel in range(4 * lanes // LANES):  # of four neighbours, one for each gate
            row = panel % 4 * units + unit + panel // 4 * LANES
            pack_rows(LANES, units, W, row * units, units, packed, (4 * unit + panel * LANES) * units)
    for first in range(unit, unit + lanes, LANES):
        add_product(
            rows,
            4,
            units,
            h_before,
            begin * units,
            units,
            1,
            packed,
            4 * first * units,
            LANES * units,
            gates,
            4 * begin * units + first,
            4 * units,
            units,
        )
    following, stay = 0, 0
    if step + 1 < number:
        following, stay = steps[2 * step + 2], steps[2 * step + 3]
    for row in range(rows):
        at, state, gate = (begin + row) * units + unit, row * units + unit, 4 * (begin + row) * units + unit
        _activate(gates, gate, bias, unit, units, lanes)
        _update(gates, gate, units, c, state, c_before, tanh_c, at, lanes)
        for lane in range(lanes):
            y[at + lane] = gates[gate + 3 * units + lane] * tanh_c[at + lane]
        if row < stay:
            for lane in range(lanes):
                h_before[(following + row) * units + unit + lane] = y[at + lane]
        else:
            for lane in range(lanes):
                h[state + lane] = y[at + lane]
    finish(done, step)


@inline
def _activate(gates: Floats, gate: int, bias: Floats, unit: int, units: int, lanes: int) -> None:
    for lane in range(lanes):
        gates[gate + lane] = sigmoid(gates[gate + lane] + bias[unit + lane])
        at = units + lane
        gates[gate + at] = sigmoid(gates[gate + at] + bias[unit + at])
        at += units
        gates[gate + at] = tanh(gates[gate + at] + bias[unit + at])
        at += units
        gates[gate + at] = sigmoid(gates[gate + at] + bias[unit + at])


@inline
def _update(
    gates: Floats, gate: int, units: int, c: Floats, state: int, c_before: Floats, tanh_c: Floats, at: int, lanes: int
) -> None:
    for lane in range(lanes):
        before = c[state + lane]
        i, f, a = gates[gate + lane], gates[gate + units + lane], gates[gate + 2 * units + lane]
        new = f * before + i * a
        c_before[at + lane] = before
        c[state + lane] = new
        tanh_c[at + lane] = tanh(new)


@loop
def backward(
    piece: int,
    done: Longs,
    steps: Longs,
    W: Floats,
    packed: Floats,
    gates: Floats,
    c_before: Floats,
    tanh_c: Floats,
    gy: Floats,
    gh: Floats,
    gc: Floats,
    ggates: Floats,
    gbias: Floats,
    number: int,
    units: int,
    width: int,
    stride: int,
) -> None:
    """The chain rule through `forward`, and one step more: the gradient of the initial output.

    Args:
        piece: Which units of which step; the last step is the first.
        done, W, packed: As of `forward`.
        steps: As of `forward`, the last step first.
        gates, c_before, tanh_c: From `forward`.
        gy: Gradient of the output.
        gh, gc: Gradients of the final states; become those of the initial states.
        ggates: Becomes the gradient of the sums that the gates are functions of.
        gbias: Becomes that of their bias.
        number, units: Sizes.
    """
    blocks = -(-units // width)
    step, unit = piece // blocks, piece % blocks * width
    lanes = min(width, units - unit)
    if step:
        wait(done, step - 1, blocks)
        begin, rows = steps[2 * step - 2], steps[2 * step - 1]
        clear(rows, lanes, gh, unit, units)
        add_product(
            rows,
            lanes // LANES,
            4 * units,
            ggates,
            begin * stride,
            stride,
            1,
            packed,
            4 * unit * units,
            4 * LANES * units,
            gh,
            unit,
            units,
            LANES,
        )
    else:
        pack_columns(4 * units, lanes, W, unit, units, packed, 4 * unit * units)
        for gate in range(4):
            clear(1, lanes, gbias, gate * units + unit, 0)
    if step == number:
        return
    begin, rows = steps[2 * step], steps[2 * step + 1]
    for row in range(rows):
        at, state, gate = (begin + row) * units + unit, row * units + unit, 4 * (begin + row) * units + unit
        ggate = (begin + row) * stride + unit
        _output_back(gates, gate + 3 * units, tanh_c, gy, at, gh, gc, state, ggates, ggate + 3 * units, lanes)
        _cell_back(gates, gate, units, c_before, at, gc, state, ggates, ggate, lanes)
        for part in range(4):
            for lane in range(lanes):
                gbias[part * units + unit + lane] += ggates[ggate + part * units + lane]
    finish(done, step)


@inline
def _output_back(
    gates: Floats,
    gate: int,
    tanh_c: Floats,
    gy: Floats,
    at: int,
    gh: Floats,
    gc: Floats,
    state: int,
    ggates: Floats,
    ggate: int,
    lanes: int,
) -> None:
    for lane in range(lanes):
        o, tanh_new = gates[gate + lane], tanh_c[at + lane]
        g = gy[at + lane] + gh[state + lane]
        of_o = g * tanh_new
        ggates[ggate + lane] = of_o * o * (_ONE - o)
        gc[state + lane] += (g - of_o * tanh_new) * o


@inline
def _cell_back(
    gates: Floats,
    gate: int,
    units: int,
    c_before: Floats,
    at: int,
    gc: Floats,
    state: int,
    ggates: Floats,
    ggate: int,
    lanes: int,
) -> None:
    for lane in range(lanes):
        i, f, a = gates[gate + lane], gates[gate + units + lane], gates[gate + 2 * units + lane]
        total = gc[state + lane]
        ggates[ggate + lane] = total * a * i * (_ONE - i)
        ggates[ggate + units + lane] = total * c_before[at + lane] * f * (_ONE - f)
        ggates[ggate + 2 * units + lane] = total * i * (_ONE - a * a)
        gc[state + lane] = total * f
