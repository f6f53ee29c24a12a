"""Recurrent layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_nn.functions.rnn.lstm import LSTM
from renga_nn.functions.rnn.recurrence import Recurrence
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS"]

_GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "tanh": (0,), "relu": (0,)}
"""Order of the gates in ONNX: i o f c for LSTM, z r h for GRU."""


def _lstm(call: Call) -> None:
    """Compute one step: gates are interleaved, so the units become a separate axis."""
    cells, x = call.inputs
    cells_shape, shape, there = call.run.inputs[0].shape, call.run.inputs[1].shape, call.twin.inputs[1].shape
    if cells_shape[0] != shape[0]:
        rows = [call.integers([a]) for a in (0,)], call.shape([shape[0]], [there[0]])
        rest = call.op("Slice", [cells, rows[1], call.integers([2**63 - 1]), call.integers([0])])
        cells = call.op("Slice", [cells, rows[0][0], rows[1], call.integers([0])])
    split = (shape[0], shape[1] // 4, 4, *shape[2:]), (there[0], there[1] // 4, 4, *there[2:])
    gates = call.reshape(x, *split)
    a, i, f, o = (
        call.op(kind, [call.op("Gather", [gates, call.constant(number, np.int64)], axis=2)])
        for number, kind in enumerate(("Tanh", "Sigmoid", "Sigmoid", "Sigmoid"))
    )
    whole = cells_shape[0] == shape[0]
    new = call.op("Add", [call.op("Mul", [a, i]), call.op("Mul", [f, cells])], call.outputs[:1] if whole else None)
    if not whole:
        call.op("Concat", [new, rest], call.outputs[:1], axis=0)
    call.op("Mul", [o, call.op("Tanh", [new])], call.outputs[1:])


def _recurrence(call: Call) -> None:
    """Convert one layer in one direction, for sequences of equal or different lengths."""
    walk, cell = call.function.walk, call.function.walk.cell
    if cell.name not in _GATES:
        raise RengaError(f"{call.run.where}: ONNX has no recurrent layer for the cell {cell.name!r}")
    x, wx, bx, wh, bh, *initial = call.inputs
    units, batch, length = call.run.inputs[3].shape[1], call.run.inputs[5].shape[0], len(walk.sizes)
    there = call.twin.inputs[5].shape[0]
    if len(set(walk.sizes)) > 1 or walk.sizes[0] != batch:
        _steps(call)
        return
    features = call.x.shape[1]
    steps = call.reshape(x, (length, batch, features), (len(call.other.walk.sizes), there, features))

    def ordered(name: str) -> str:
        order = _GATES[cell.name]
        if len(order) == 1:
            return name
        rows = np.concatenate([np.arange(gate * units, (gate + 1) * units) for gate in order])
        return call.op("Gather", [name, call.integers(rows)], axis=0)

    weights = [call.unsqueeze(ordered(name), [0]) for name in (wx, wh)]
    biases = call.unsqueeze(call.op("Concat", [ordered(bx), ordered(bh)], axis=0), [0])
    states = [call.unsqueeze(name, [0]) for name in initial]
    more: dict[str, Any] = {"linear_before_reset": 1} if cell.name == "gru" else {}
    if cell.name in ("tanh", "relu"):
        more["activations"] = ["Tanh" if cell.name == "tanh" else "Relu"]
    names = [call.context.fresh(f"{cell.name}_{i}") for i in range(1 + cell.states)]
    call.op(
        {"lstm": "LSTM", "gru": "GRU"}.get(cell.name, "RNN"),
        [steps, *weights, biases, "", *states],
        names,
        hidden_size=units,
        direction="reverse" if walk.backwards else "forward",
        **more,
    )
    # Shape (length, 1, batch, units), one step after another.
    call.op("Reshape", [names[0], call.integers([-1, units])], call.outputs[:1])
    for name, output in zip(names[1:], call.outputs[1:], strict=True):
        call.squeeze(name, [0], [output])


def _steps(call: Call) -> None:
    """Convert sequences of different lengths step by step, each with the rows that are still active."""
    walk = call.function.walk
    x, wx, bx, wh, bh, *states = call.inputs
    inputs = call.op("Gemm", [x, wx, bx], transB=1)
    outputs = []
    for rows in walk.steps():
        size = rows.stop - rows.start
        before = [_rows(call, state, 0, size) for state in states]
        gates = _rows(call, inputs, rows.start, rows.stop)
        hidden = call.op("Gemm", [before[0], wh, bh], transB=1)
        new = _CELLS[walk.cell.name](call, gates, hidden, before)
        outputs.append(new[0])
        states = [
            call.op("Concat", [value, _rows(call, state, size, 2**63 - 1)], axis=0)
            for value, state in zip(new, states, strict=True)
        ]
    call.op("Concat", outputs[::-1] if walk.backwards else outputs, call.outputs[:1], axis=0)
    for state, output in zip(states, call.outputs[1:], strict=True):
        call.op("Identity", [state], [output])


def _rows(call: Call, x: str, start: int, stop: int) -> str:
    return call.op("Slice", [x, call.integers([start]), call.integers([stop]), call.integers([0])])


def _parts(call: Call, x: str, count: int) -> list[str]:
    names = [call.context.fresh("gate") for _ in range(count)]
    units = call.run.inputs[3].shape[1]
    call.op("Split", [x, call.integers([units] * count)], names, axis=1)
    return names


def _lstm_step(call: Call, gates: str, hidden: str, before: list[str]) -> list[str]:
    i, f, a, o = _parts(call, call.op("Add", [gates, hidden]), 4)
    i, f, o = (call.op("Sigmoid", [name]) for name in (i, f, o))
    new = call.op("Mul", [i, call.op("Tanh", [a])])
    cells = call.op("Add", [call.op("Mul", [f, before[1]]), new])
    return [call.op("Mul", [o, call.op("Tanh", [cells])]), cells]


def _gru_step(call: Call, gates: str, hidden: str, before: list[str]) -> list[str]:
    (xr, xz, xa), (hr, hz, ha) = _parts(call, gates, 3), _parts(call, hidden, 3)
    r, z = (call.op("Sigmoid", [call.op("Add", list(pair))]) for pair in ((xr, hr), (xz, hz)))
    a = call.op("Tanh", [call.op("Add", [xa, call.op("Mul", [r, ha])])])
    return [call.op("Add", [a, call.op("Mul", [z, call.op("Sub", [before[0], a])])])]


def _tanh_step(call: Call, gates: str, hidden: str, before: list[str]) -> list[str]:
    return [call.op("Tanh", [call.op("Add", [gates, hidden])])]


def _relu_step(call: Call, gates: str, hidden: str, before: list[str]) -> list[str]:
    return [call.op("Relu", [call.op("Add", [gates, hidden])])]


_CELLS = {"lstm": _lstm_step, "gru": _gru_step, "tanh": _tanh_step, "relu": _relu_step}

CONVERTERS = {LSTM: _lstm, Recurrence: _recurrence}
