"""Recurrent networks: Elman's, LSTM (Hochreiter & Schmidhuber 1997), GRU (Cho et al. 2014)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_nn.functions.rnn.n_step_gru import GRU_CELL
from renga_nn.functions.rnn.n_step_lstm import LSTM_CELL
from renga_nn.functions.rnn.recurrence import Cell, Recurrence
from renga_onnx.load.operators.activation import hard_sigmoid, leaky_relu, softsign, thresholded_relu
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import same_as

__all__: list[str] = []

Activation = Callable[[Any], Any]
Step = Callable[[Any, list[Any]], list[Any]]

_ACTIVATIONS: dict[str, Activation] = {
    "relu": F.relu,
    "tanh": F.tanh,
    "sigmoid": F.sigmoid,
    "softplus": F.softplus,
    "leakyrelu": leaky_relu,
    "thresholdedrelu": thresholded_relu,
    "hardsigmoid": hard_sigmoid,
    "elu": F.elu,
    "softsign": softsign,
    "affine": lambda x: x,
}


def _chosen(names: list[str] | None, default: list[str], alpha: Any, beta: Any, directions: int) -> list[Activation]:
    """Return the activations of all directions, in order.

    Raises:
        NotImplementedError: One is unknown, or has parameters other than its defaults.
    """
    given = [name.lower() for name in names or default * directions]
    unknown = [name for name in given if name not in _ACTIVATIONS]
    if unknown or alpha or beta:
        raise NotImplementedError(f"activations {unknown or given} with parameters {alpha or beta} are not supported")
    return [_ACTIVATIONS[name] for name in given]


def _limited(x: Any, clip: float | None) -> Any:
    return x if clip is None else F.clip(x, -clip, clip)


def _steps(xs: list[Any], step: Step, states: list[Any], lengths: Any, backwards: bool) -> tuple[list[Any], list[Any]]:
    """Step through time. After its end, a sequence keeps its states, and its outputs are zero."""
    outputs: list[Any] = [None] * len(xs)
    order = range(len(xs))[::-1] if backwards else range(len(xs))
    for t in order:
        new = step(xs[t], states)
        out = new[0]
        if lengths is not None:
            xp = get_array_module(out)
            going = xp.broadcast_to((xp.asarray(lengths) > t)[:, None], out.shape)
            out = F.where(going, out, same_as(out, 0))
            new = [F.where(going, n, old) for n, old in zip(new, states, strict=True)]
        outputs[t], states = out, new
    return outputs, states


def _recur(
    x: Any,
    lengths: Any,
    initial: list[Any],
    hidden: int,
    direction: str,
    layout: int,
    make_step: Callable[[int], Step],
) -> tuple[Any, ...]:
    """Return all outputs ``(T, directions, B, H)`` and the last states ``(directions, B, H)``; layout 1: batch
    first."""
    if layout:
        x = x.transpose((1, 0, 2))
    xs = [x[t] for t in range(x.shape[0])]
    zeros = get_array_module(x).zeros((x.shape[1], hidden), dtype=x.dtype)
    columns, finals = [], []
    for d in range(2 if direction == "bidirectional" else 1):
        states = [F.identity(zeros) if s is None else (s[:, d] if layout else s[d]) for s in initial]
        outputs, states = _steps(xs, make_step(d), states, lengths, direction == "reverse" or d == 1)
        columns.append(F.stack(outputs))
        finals.append(states)
    y = F.stack(columns, axis=1)
    last = [F.stack(list(states)) for states in zip(*finals, strict=True)]
    if layout:
        return y.transpose((2, 0, 1, 3)), *[s.transpose((1, 0, 2)) for s in last]
    return y, *last


def _fused(
    cell: Cell, order: tuple[int, ...], x: Any, W: Any, R: Any, B: Any, initial: list[Any], direction: str, layout: int
) -> tuple[Any, ...]:
    """Same result as `_recur`, by Renga's own layer, which computes all steps at once if possible.

    Args:
        cell: Cell of Renga's layer.
        order: Index in ONNX's order of each gate of the cell.
        x, W, R, B, initial, direction, layout: Arguments of the operator.
    """
    if layout:
        x = x.transpose((1, 0, 2))
    length, batch, hidden = x.shape[0], x.shape[1], R.shape[2]
    zeros = get_array_module(x).zeros((batch, hidden), dtype=x.dtype)
    flat = x.reshape((length * batch, x.shape[2]))
    columns, finals = [], []
    for d in range(W.shape[0]):
        weights = [_reordered(each[d], order) for each in (W, R)]
        of_input, of_state = _biases(B, d, len(order), W)
        biases = [F.concat([each[gate] for gate in order], axis=0) for each in (of_input, of_state)]
        states = [F.identity(zeros) if s is None else (s[:, d] if layout else s[d]) for s in initial]
        layer = Recurrence(cell, [batch] * length, backwards=direction == "reverse" or d == 1)
        y, *last = layer.apply((flat, weights[0], biases[0], weights[1], biases[1], *states))
        columns.append(y.reshape((length, batch, hidden)))
        finals.append(last)
    y = F.stack(columns, axis=2 if layout else 1)
    if layout:
        y = y.transpose((1, 0, 2, 3))
    return y, *[F.stack(list(states), axis=layout) for states in zip(*finals, strict=True)]


def _reordered(weights: Any, order: tuple[int, ...]) -> Any:
    parts = F.split_axis(weights, len(order), 0)
    return F.concat([parts[gate] for gate in order], axis=0)


def _biases(B: Any, d: int, gates: int, W: Any) -> tuple[list[Any], list[Any]]:
    """Return the biases of inputs and states, as lists of gates."""
    if B is None:
        zeros = get_array_module(W).zeros(W.shape[1] * 2, dtype=W.dtype)
        parts = F.split_axis(zeros, 2 * gates, 0)
    else:
        parts = F.split_axis(B[d], 2 * gates, 0)
    return list(parts[:gates]), list(parts[gates:])


@operator("RNN", host=(4,))
def rnn(
    x: Any,
    W: Any,
    R: Any,
    B: Any = None,
    sequence_lens: Any = None,
    initial_h: Any = None,
    *,
    hidden_size: int | None = None,
    direction: str = "forward",
    layout: int = 0,
    activations: list[str] | None = None,
    activation_alpha: list[float] | None = None,
    activation_beta: list[float] | None = None,
    clip: float | None = None,
) -> Any:
    """``f(W x + R h + b)``."""
    fs = _chosen(activations, ["Tanh"], activation_alpha, activation_beta, W.shape[0])

    def make(d: int) -> Step:
        of_input, of_state = _biases(B, d, 1, W)
        b = of_input[0] + of_state[0]

        def step(x_t: Any, states: list[Any]) -> list[Any]:
            (h,) = states
            return [fs[d](_limited(F.linear(x_t, W[d], b) + F.linear(h, R[d]), clip))]

        return step

    return _recur(x, sequence_lens, [initial_h], R.shape[2], direction, layout, make)


@operator("GRU", host=(4,))
def gru(
    x: Any,
    W: Any,
    R: Any,
    B: Any = None,
    sequence_lens: Any = None,
    initial_h: Any = None,
    *,
    hidden_size: int | None = None,
    direction: str = "forward",
    layout: int = 0,
    linear_before_reset: int = 0,
    activations: list[str] | None = None,
    activation_alpha: list[float] | None = None,
    activation_beta: list[float] | None = None,
    clip: float | None = None,
) -> Any:
    """Gates update, reset, hidden; the reset gate applies before the hidden gate's product, or after it."""
    if linear_before_reset and not (activations or sequence_lens is not None or clip) and x.shape[0]:
        return _fused(GRU_CELL, (1, 0, 2), x, W, R, B, [initial_h], direction, layout)
    fs = _chosen(activations, ["Sigmoid", "Tanh"], activation_alpha, activation_beta, W.shape[0])

    def make(d: int) -> Step:
        f, g = fs[2 * d : 2 * d + 2]
        of_input, of_state = _biases(B, d, 3, W)
        wz, wr, wh = F.split_axis(W[d], 3, 0)
        rz, rr, rh = F.split_axis(R[d], 3, 0)

        def step(x_t: Any, states: list[Any]) -> list[Any]:
            (h,) = states
            z = f(_limited(F.linear(x_t, wz, of_input[0]) + F.linear(h, rz, of_state[0]), clip))
            r = f(_limited(F.linear(x_t, wr, of_input[1]) + F.linear(h, rr, of_state[1]), clip))
            inner = r * F.linear(h, rh, of_state[2]) if linear_before_reset else F.linear(r * h, rh, of_state[2])
            n = g(_limited(F.linear(x_t, wh, of_input[2]) + inner, clip))
            return [(1 - z) * n + z * h]

        return step

    return _recur(x, sequence_lens, [initial_h], R.shape[2], direction, layout, make)


@operator("LSTM", host=(4,))
def lstm(
    x: Any,
    W: Any,
    R: Any,
    B: Any = None,
    sequence_lens: Any = None,
    initial_h: Any = None,
    initial_c: Any = None,
    P: Any = None,
    *,
    hidden_size: int | None = None,
    direction: str = "forward",
    layout: int = 0,
    input_forget: int = 0,
    activations: list[str] | None = None,
    activation_alpha: list[float] | None = None,
    activation_beta: list[float] | None = None,
    clip: float | None = None,
) -> Any:
    """Gates input, output, forget, cell; peepholes P of the input, output and forget gates."""
    if not (activations or sequence_lens is not None or clip or P is not None or input_forget) and x.shape[0]:
        return _fused(LSTM_CELL, (0, 2, 3, 1), x, W, R, B, [initial_h, initial_c], direction, layout)
    fs = _chosen(activations, ["Sigmoid", "Tanh", "Tanh"], activation_alpha, activation_beta, W.shape[0])

    def make(d: int) -> Step:
        f, g, h_of = fs[3 * d : 3 * d + 3]
        of_input, of_state = _biases(B, d, 4, W)
        b = F.concat([i + s for i, s in zip(of_input, of_state, strict=True)], axis=0)
        pi, po, pf = F.split_axis(P[d], 3, 0) if P is not None else (None, None, None)

        def seen(gate: Any, peephole: Any, c: Any) -> Any:
            return f(_limited(gate if peephole is None else gate + peephole * c, clip))

        def step(x_t: Any, states: list[Any]) -> list[Any]:
            h, c = states
            i, o, fo, n = F.split_axis(F.linear(x_t, W[d], b) + F.linear(h, R[d]), 4, 1)
            i = seen(i, pi, c)
            fo = 1 - i if input_forget else seen(fo, pf, c)
            new = fo * c + i * g(_limited(n, clip))
            return [seen(o, po, new) * h_of(new), new]

        return step

    return _recur(x, sequence_lens, [initial_h, initial_c], R.shape[2], direction, layout, make)
