"""Multi-layer recurrent networks over sequences of different lengths: code for all kinds of cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from renga_core.backend import same_dtype
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.array import concat, separate, split_axis, stack
from renga_nn.functions.checks import as_integer, as_number, require_array, require_arrays, require_floating
from renga_nn.functions.noise import dropout
from renga_nn.functions.rnn.recurrence import Cell, Recurrence

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["n_step", "n_step_packed"]

Weights = Sequence[Sequence[Any]]


def n_step(
    function: str,
    cell: Cell,
    directions: int,
    n_layers: int,
    dropout_ratio: float,
    states: Sequence[Any],
    ws: Weights,
    bs: Weights,
    xs: Sequence[Any],
) -> tuple[list[Variable], list[Variable]]:
    """Run all layers over `xs`, one array ``(B_t, I)`` per time step; other arguments as for `n_step_packed`.

    Returns:
        The final states, and the outputs of the last layer, one array ``(B_t, directions N)`` for each step.
    """
    n_layers = as_integer(function, "n_layers", n_layers)
    dropout_ratio = as_number(function, "dropout_ratio", dropout_ratio)
    _check(function, cell, directions, n_layers, states, ws, bs, xs)
    sizes = [x.shape[0] for x in xs]
    final, packed = n_step_packed(cell, directions, n_layers, dropout_ratio, states, ws, bs, concat(xs, axis=0), sizes)
    return final, list(split_axis(packed, list(accumulate(sizes))[:-1], axis=0))


def n_step_packed(
    cell: Cell,
    directions: int,
    n_layers: int,
    dropout_ratio: float,
    states: Sequence[Any],
    ws: Weights,
    bs: Weights,
    x: Any,
    sizes: Sequence[int],
) -> tuple[list[Variable], Variable]:
    """Run all layers over inputs that are concatenated along time steps.

    Args:
        cell: The computation of one step.
        directions: 1: forwards. 2: also backwards, with outputs concatenated.
        n_layers: Number of layers.
        dropout_ratio: Dropout ratio of the inputs of all layers but the first.
        states: Initial states ``(n_layers directions, B, N)``, as many as the cell has.
        ws, bs: For each layer and direction, in this order, weights and biases: first those of the input, one per gate,
            then those of the previous output.
        x: ``(sum of sizes, I)``.
        sizes: Number of sequences in each step.

    Returns:
        The final states, and the outputs ``(sum of sizes, directions N)`` of the last layer.
    """
    initial = [separate(state, axis=0) for state in states]
    final = []
    for layer in range(n_layers):
        if layer and dropout_ratio:
            x = dropout(x, dropout_ratio)
        outputs = []
        for direction in range(directions):
            k = layer * directions + direction
            (Wx, Wh), (bx, bh) = (
                [concat(part[at : at + cell.gates], axis=0) for at in (0, cell.gates)] for part in (ws[k], bs[k])
            )
            node = Recurrence(cell, sizes, backwards=direction == 1)
            y, *last = node.apply((x, Wx, bx, Wh, bh, *[state[k] for state in initial]))
            outputs.append(y)
            final.append(last)
        x = outputs[0] if directions == 1 else concat(outputs, axis=1)
    return [stack(state, axis=0) for state in zip(*final, strict=True)], x


def _check(
    function: str,
    cell: Cell,
    directions: int,
    n_layers: int,
    states: Sequence[Any],
    ws: Weights,
    bs: Weights,
    xs: Sequence[Any],
) -> None:
    hx = states[0]
    require_floating(function, "hx", hx)
    layers = n_layers * directions
    if hx.ndim != 3 or hx.shape[0] != layers or not layers:
        raise InvalidType(function, "hx", f"(layers x directions = {layers}, B, N)", describe_array(hx))
    for name, state in zip(("hx", "cx"), states, strict=False):
        require_array(function, name, state)
        if state.shape != hx.shape or not same_dtype(state, hx):
            expected = f"the shape and dtype of hx: {describe_array(hx)}"
            raise InvalidType(function, name, expected, describe_array(state))
    require_arrays(function, "xs", xs)
    if not len(xs):
        raise InvalidType(function, "xs", "an array for each step, at least one", "none")
    rows = hx.shape[1]
    for t, x in enumerate(xs):
        if x.ndim != 2 or not same_dtype(x, hx) or x.shape[1] != xs[0].shape[1]:
            expected = f"{hx.dtype} (B_t, I), with one I for all steps"
            raise InvalidType(function, f"xs[{t}]", expected, f"{describe_array(x)} after {describe_array(xs[0])}")
        if x.shape[0] > rows:
            hint = "Sort the sequences, longest first, so that the first rows of each step continue."
            before = "of hx" if t == 0 else "of the step before"
            raise InvalidType(function, f"xs[{t}]", f"at most the {rows} rows {before}", describe_array(x), hint)
        rows = x.shape[0]
    units, features = hx.shape[2], xs[0].shape[1]
    for name, given in (("ws", ws), ("bs", bs)):
        if len(given) != layers or any(len(part) != 2 * cell.gates for part in given):
            expected = f"{layers} lists (layers x directions) of {2 * cell.gates} arrays"
            raise InvalidType(function, name, expected, f"lists of {', '.join(str(len(part)) for part in given)}")
    for k in range(layers):
        for j in range(2 * cell.gates):
            size = units if j >= cell.gates else features if k < directions else directions * units
            for name, array, shape in (("ws", ws[k][j], (units, size)), ("bs", bs[k][j], (units,))):
                if tuple(array.shape) != shape or not same_dtype(array, hx):
                    raise InvalidType(function, f"{name}[{k}][{j}]", f"{hx.dtype} {shape}", describe_array(array))
