"""Control flow, and sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_onnx.load.operators.shape import split
from renga_onnx.load.operators.table import Body, operator
from renga_onnx.load.operators.values import axis_of, flipped, is_float, number

__all__ = ["scan", "stacked"]

_MOST_ROUNDS = 1_000_000


@operator("If", host=(0,))
def branch(condition: Any, *, then_branch: Body, else_branch: Body) -> Any:
    """Compute one of two graphs."""
    return tuple(then_branch() if number(condition) else else_branch())


def stacked(values: list[Any]) -> Any:
    """Stack values along a new first axis."""
    return F.stack(values) if is_float(values[0]) else get_array_module(values[0]).stack(values)


def _columns(rounds: list[list[Any]], none: list[Any]) -> list[Any]:
    """Stack the outputs of all iterations; return `none` if there were none."""
    return [stacked(list(column)) for column in zip(*rounds, strict=True)] if rounds else none


@operator("Loop", host=(0, 1))
def loop(trips: Any, condition: Any, *states: Any, body: Body) -> Any:
    """Repeat a graph a number of times, or while a condition is true. Scan outputs are stacked."""
    most = None if trips is None else int(number(trips))
    going = condition is None or bool(number(condition))
    kept = list(states)
    rounds: list[list[Any]] = []
    i = 0
    while going and (most is None or i < most):
        if i == _MOST_ROUNDS:
            raise ValueError(f"the loop has not ended after {_MOST_ROUNDS:,} iterations")
        more, *results = body(np.array(i, np.int64), np.array(True), *kept)
        kept = results[: len(states)]
        rounds.append(results[len(states) :])
        going = bool(number(more))
        i += 1
    return *kept, *_columns(rounds, body.none[1 + len(states) :])


@operator("Scan")
def scan(
    *inputs: Any,
    body: Body,
    num_scan_inputs: int,
    scan_input_axes: list[int] | None = None,
    scan_input_directions: list[int] | None = None,
    scan_output_axes: list[int] | None = None,
    scan_output_directions: list[int] | None = None,
) -> Any:
    """Compute a graph for each slice of the last inputs, with states from one iteration to the next."""
    n = len(inputs) - num_scan_inputs
    states, scanned = list(inputs[:n]), inputs[n:]
    axes = [axis_of(a, x.ndim) for a, x in zip(scan_input_axes or [0] * len(scanned), scanned, strict=True)]
    backwards = scan_input_directions or [0] * len(scanned)
    length = scanned[0].shape[axes[0]]
    columns: list[list[Any]] = []
    for i in range(length):
        slices = [
            x[(*(slice(None),) * axis, length - 1 - i if back else i)]
            for x, axis, back in zip(scanned, axes, backwards, strict=True)
        ]
        results = body(*states, *slices)
        states = results[:n]
        columns.append(results[n:])
    outputs = []
    for i, y in enumerate(_columns(columns, body.none[n:])):
        if scan_output_directions and scan_output_directions[i]:
            y = flipped(y, 0)
        to = axis_of(scan_output_axes[i], y.ndim) if scan_output_axes else 0
        order = list(range(1, y.ndim))
        order.insert(to, 0)
        outputs.append(y.transpose(tuple(order)) if to else y)
    return *states, *outputs


@operator("SequenceConstruct")
def sequence(*xs: Any) -> Any:
    """Return a sequence of the inputs."""
    return list(xs)


@operator("SequenceEmpty")
def no_sequence(*, dtype: int = 1) -> Any:
    """Return an empty sequence."""
    return []


@operator("SequenceAt", host=(1,))
def at(xs: list[Any], position: Any) -> Any:
    """Return one element; a negative index counts from the end."""
    return xs[int(number(position))]


@operator("SequenceInsert", host=(2,))
def insert(xs: list[Any], x: Any, position: Any = None) -> Any:
    """Insert an element at a position, or append it."""
    made = list(xs)
    made.insert(len(made) if position is None else int(number(position)), x)
    return made


@operator("SequenceErase", host=(1,))
def erase(xs: list[Any], position: Any = None) -> Any:
    """Remove an element."""
    made = list(xs)
    del made[-1 if position is None else int(number(position))]
    return made


@operator("SequenceLength")
def length(xs: list[Any]) -> Any:
    """The number of elements, on the host."""
    return np.array(len(xs), np.int64)


@operator("SplitToSequence", host=(1,))
def split_to_sequence(x: Any, split_: Any = None, *, axis: int = 0, keepdims: int = 1) -> Any:
    """Split along an axis into a sequence: with given sizes, one size, or size 1."""
    n = x.shape[axis]
    if split_ is None:
        parts = list(split(x, np.ones(n, np.int64), axis=axis))
        along = axis_of(axis, x.ndim)
        return parts if keepdims else [p.reshape(p.shape[:along] + p.shape[along + 1 :]) for p in parts]
    sizes = np.asarray(split_)
    if sizes.ndim == 0:
        each = int(sizes)
        sizes = np.array([min(each, n - i) for i in range(0, n, each)])
    return list(split(x, sizes, axis=axis))


@operator("ConcatFromSequence")
def concat_from_sequence(xs: list[Any], *, axis: int, new_axis: int = 0) -> Any:
    """Concatenate all elements along an axis, or stack them along a new one."""
    join = ("stack" if new_axis else "concatenate") if not is_float(xs[0]) else ("stack" if new_axis else "concat")
    of: Any = F if is_float(xs[0]) else get_array_module(xs[0])
    return getattr(of, join)(xs, axis=axis)


@operator("SequenceMap")
def sequence_map(xs: list[Any], *others: Any, body: Body) -> Any:
    """Compute a graph for each element of sequences; other inputs are the same for all elements."""
    results = [body(x, *[o[i] if isinstance(o, list) else o for o in others]) for i, x in enumerate(xs)]
    return tuple([list(column) for column in zip(*results, strict=True)])


@operator("Optional")
def optional(x: Any = None, *, type: Any = None) -> Any:
    """Return an optional value."""
    return x


@operator("OptionalHasElement")
def has_element(x: Any = None) -> Any:
    """Whether the optional has a value, on the host."""
    return np.array(x is not None)


@operator("OptionalGetElement")
def get_element(x: Any) -> Any:
    """Return the value of an optional."""
    return x
