"""A layer of long short-term memories over all steps, forward and back, its recurrent products included.

Sequences are in groups, which do not meet: a piece is all steps of a group. If there are more threads than groups,
a piece is a step of some units of a group. Then pieces are taken in the order of steps, and those of a step wait for
those of the group's step before. So threads meet in shared memory once a step, and no thread is woken in between.

Arrays are those of `renga_kernels_numba.recurrence`: gates ``(rows, 4 * units)`` are i, f, a, o; rows are of all steps.
"""

from __future__ import annotations

from numba import float32

from renga_kernels_numba.loops.intrinsics import Floats, Longs, inline, loop
from renga_kernels_numba.loops.mathematics import sigmoid, tanh
from renga_kernels_numba.loops.pieces import LANES
from renga_kernels_numba.loops.tiles import add_product, clear, pack_columns, pack_rows
from renga_kernels_numba.loops.waiting import finish, wait

__all__ = ["backward", "forward", "pack_backward", "pack_forward"]

_ONE = float32(1)


@loop
def pack_forward(piece: int, W: Floats, packed: Floats, units: int) -> None:
    """Pack the recurrent weights ``(4 * units, units)`` for `forward`: a piece is `LANES` units, their four gates."""
    first = piece * LANES
    for gate in range(4):
        to = (4 * first + gate * LANES) * units
        pack_rows(LANES, units, W, (gate * units + first) * units, units, packed, to)


@loop
def pack_backward(piece: int, W: Floats, packed: Floats, units: int) -> None:
    """Pack them for `backward`: a piece is `LANES` columns."""
    first = piece * LANES
    pack_columns(4 * units, LANES, W, first, units, packed, 4 * first * units)


@loop
def forward(
    piece: int,
    done: Longs,
    steps: Longs,
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
    sequences: int,
    groups: int,
    units: int,
    width: int,
) -> None:
    """``c = f * c + i * a``; ``h = o * tanh(c)``.

    Args:
        piece: Which steps, group and units.
        done: A counter for each step of each group, of its pieces that are done; zeros.
        steps: The first row and the number of rows of each step.
        packed: Recurrent weights ``(4 * units, units)``, packed by `pack_forward`.
        bias: Of both products ``(4 * units,)``.
        gates: Products of the inputs with their weights; become the gates.
        h_before: Output of the step before. Rows of sequences that begin are filled.
        c_before, tanh_c: Cells before, and ``tanh`` of the cells.
        y: Output.
        h, c: The states, which are changed.
        number, sequences, groups, units: Number of steps, of sequences, of groups, and of units, which is a multiple of
            `LANES`.
        width: Units of a piece; all of them: a piece is all steps of a group.
    """
    blocks = -(-units // width)
    turn, unit = piece // blocks, piece % blocks * width
    lanes = min(width, units - unit)
    group, step, end = turn % groups, turn // groups, turn // groups + 1
    if blocks == 1:
        end = number
    low, high = group * sequences // groups, (group + 1) * sequences // groups
    while step < end:
        begin, there = steps[2 * step], steps[2 * step + 1]
        if blocks > 1 and step:
            wait(done, group * number + step - 1, blocks)
        for first in range(unit, unit + lanes, LANES):
            add_product(
                min(high, there) - low,
                4,
                units,
                h_before,
                (begin + low) * units,
                units,
                packed,
                4 * first * units,
                LANES * units,
                gates,
                4 * (begin + low) * units + first,
                4 * units,
                units,
            )
        following, stay = 0, 0
        if step + 1 < number:
            following, stay = steps[2 * step + 2], steps[2 * step + 3]
        for row in range(low, min(high, there)):
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
        if blocks > 1:
            finish(done, group * number + step)
        step += 1


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
    sequences: int,
    groups: int,
    units: int,
    width: int,
    stride: int,
) -> None:
    """The chain rule through `forward`, and one step more: the gradient of the initial output.

    Args:
        piece: Which steps, group and units; the last step is the first.
        done: As of `forward`.
        steps: As of `forward`, the last step first.
        packed: Recurrent weights, packed by `pack_backward`.
        gates, c_before, tanh_c: From `forward`.
        gy: Gradient of the output.
        gh, gc: Gradients of the final states; become those of the initial states.
        ggates: Becomes the gradient of the sums that the gates are functions of.
        gbias: Becomes that of their bias, from each group ``(groups, 4 * units)``.
        number, sequences, groups, units, width: As of `forward`.
        stride: From one row of `ggates` to the next.
    """
    blocks = -(-units // width)
    turn, unit = piece // blocks, piece % blocks * width
    lanes = min(width, units - unit)
    group, step, end = turn % groups, turn // groups, turn // groups + 1
    if blocks == 1:
        end = number + 1
    low, high = group * sequences // groups, (group + 1) * sequences // groups
    while step < end:
        if step:
            if blocks > 1:
                wait(done, group * number + step - 1, blocks)
            begin, rows = steps[2 * step - 2], min(high, steps[2 * step - 1]) - low
            clear(rows, lanes, gh, low * units + unit, units)
            for gate in range(4):  # one after another: its columns stay in the first cache
                add_product(
                    rows,
                    lanes // LANES,
                    units,
                    ggates,
                    (begin + low) * stride + gate * units,
                    stride,
                    packed,
                    (4 * unit + gate * LANES) * units,
                    4 * LANES * units,
                    gh,
                    low * units + unit,
                    units,
                    LANES,
                )
        else:
            for gate in range(4):
                clear(1, lanes, gbias, (4 * group + gate) * units + unit, 0)
        if step < number:
            begin = steps[2 * step]
            for row in range(low, min(high, steps[2 * step + 1])):
                at, state, gate = (begin + row) * units + unit, row * units + unit, 4 * (begin + row) * units + unit
                ggate = (begin + row) * stride + unit
                _output_back(gates, gate + 3 * units, tanh_c, gy, at, gh, gc, state, ggates, ggate + 3 * units, lanes)
                _cell_back(gates, gate, units, c_before, at, gc, state, ggates, ggate, lanes)
                for part in range(4):
                    for lane in range(lanes):
                        gbias[(4 * group + part) * units + unit + lane] += ggates[ggate + part * units + lane]
            if blocks > 1:
                finish(done, group * number + step)
        step += 1


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
