"""Conditional random fields for sequences: labels depend on their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module, same_dtype
from renga_core.graph import InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import get_item
from renga_nn.functions.array import concat, expand_dims, select_item, split_axis
from renga_nn.functions.checks import (
    labels_of,
    require_arrays,
    require_choice,
    require_floating,
    require_labels_in_range,
)
from renga_nn.functions.math import logsumexp, max, mean

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["argmax_crf1d", "crf1d"]


def crf1d(cost: Any, xs: Sequence[Any], ys: Sequence[Any], reduce: str = "mean") -> Variable:
    """Negative log-likelihood of a linear-chain conditional random field (Lafferty, McCallum & Pereira 2001).

    The score of labels ``y_1 ... y_L`` is ``sum(x[i, y_i]) + sum(cost[y_i, y_(i + 1)])``. The loss is the log-sum-exp
    of the scores of all labelings minus the score of the correct one.

    Args:
        cost: Score ``cost[i, j]`` of label j after label i, ``(K, K)``. Despite its name it is added.
        xs: For each time step the scores ``(B_t, K)`` of the labels. Sequences are sorted, longest first: ``B_0 >= B_1
            ...``; `transpose_sequence` converts sequences to time steps.
        ys: For each time step the correct labels ``(B_t,)``, integers from 0 to K - 1.
        reduce: ``"mean"`` over sequences, or ``"no"`` for the loss of each.

    Returns:
        Variable: a scalar, or ``(B_0,)`` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes do not fit together, or the sequences are not sorted.
        ValueError: `reduce` is invalid, or a label is out of range.

    >>> import numpy as np
    >>> cost = np.log([[1.0, 3.0], [1.0, 1.0]])  # 1 after 0 is three times as likely
    >>> xs, ys = [np.zeros((1, 2)), np.zeros((1, 2))], [np.array([0]), np.array([1])]
    >>> round(float(np.exp(-crf1d(cost, xs, ys).array)), 4)
    0.5
    """
    require_choice("crf1d", "reduce", reduce, ("mean", "no"))
    _check("crf1d", cost, xs)
    require_arrays("crf1d", "ys", ys)
    if len(ys) != len(xs):
        raise InvalidType("crf1d", "ys", f"labels for each of the {len(xs)} steps", f"{len(ys)} arrays")
    labels = [labels_of("crf1d", x, y) for x, y in zip(xs, ys, strict=True)]
    for y in labels:
        require_labels_in_range("crf1d", y, cost.shape[0])
    loss = _log_of_all(cost, xs) - _score(cost, xs, labels)
    return mean(loss) if reduce == "mean" else loss


def argmax_crf1d(cost: Any, xs: Sequence[Any]) -> tuple[Variable, list[Array]]:
    """The most likely labels of a linear-chain conditional random field, by Viterbi's algorithm (1967).

    Args:
        cost, xs: See `crf1d`.

    Returns:
        The scores of the best labelings, ``(B_0,)``; and for each time step the labels ``(B_t,)``, ``int32``.

    Raises:
        InvalidType: Shapes or dtypes do not fit together, or the sequences are not sorted.

    >>> import numpy as np
    >>> cost = np.array([[0.0, 3.0], [0.0, 0.0]])
    >>> score, labels = argmax_crf1d(cost, [np.array([[0.0, 1.0]]), np.array([[0.0, 0.0]])])
    >>> score.array.tolist(), [y.tolist() for y in labels]
    ([3.0], [[0], [1]])
    """
    _check("argmax_crf1d", cost, xs)
    best: Any = xs[0]
    ended: list[Any] = []
    chosen: list[Array] = []
    for x in xs[1:]:
        best = _go_on(best, x.shape[0], ended)
        ways = expand_dims(best, 2) + cost
        chosen.append(ways.array.argmax(axis=1).astype("int32"))
        best = max(ways, axis=1) + x
    ends = concat([best, *ended[::-1]], axis=0)
    xp = get_array_module(as_array(cost))
    last = ends.array.argmax(axis=1).astype("int32")
    # Trace back from the end of each sequence.
    labels = [last[: xs[-1].shape[0]]]
    for before, x in zip(reversed(chosen), reversed(xs[:-1]), strict=True):
        n = before.shape[0]
        going_on = before[xp.arange(n), labels[-1]]
        labels.append(xp.concatenate((going_on, last[n : x.shape[0]])))
    return max(ends, axis=1), labels[::-1]


def _go_on(x: Any, rows: int, ended: list[Any]) -> Any:
    """Keep the rows of sequences that continue; append the rest to `ended`."""
    if x.shape[0] == rows:
        return x
    going_on, rest = split_axis(x, [rows], axis=0)
    ended.append(rest)
    return going_on


def _log_of_all(cost: Any, xs: Sequence[Any]) -> Variable:
    """The log-sum-exp of all scores, for each sequence."""
    total: Any = xs[0]
    ended: list[Any] = []
    for x in xs[1:]:
        total = _go_on(total, x.shape[0], ended)
        total = logsumexp(expand_dims(total, 2) + cost, axis=1) + x
    return logsumexp(concat([total, *ended[::-1]], axis=0), axis=1)


def _score(cost: Any, xs: Sequence[Any], labels: Sequence[Array]) -> Variable:
    """The score of the correct labels, for all steps at once."""
    xp = get_array_module(labels[0])
    sizes = [x.shape[0] for x in xs]
    said = select_item(concat(xs, axis=0), xp.concatenate(labels))
    parts = split_axis(said, list(accumulate(sizes))[:-1], axis=0)
    score: Any = parts[0]
    if len(xs) > 1:
        before = xp.concatenate([y[:n] for y, n in zip(labels, sizes[1:], strict=False)])
        moved = get_item(cost, (before, xp.concatenate(labels[1:])))
        moves = split_axis(moved, list(accumulate(sizes[1:]))[:-1], axis=0)
        ended: list[Any] = []
        for part, move in zip(parts[1:], moves, strict=True):
            score = _go_on(score, part.shape[0], ended) + part + move
        score = concat([score, *ended[::-1]], axis=0)
    return score  # type: ignore[no-any-return]  # a Variable in either case


def _check(function: str, cost: Any, xs: Sequence[Any]) -> None:
    require_floating(function, "cost", cost)
    if cost.ndim != 2 or cost.shape[0] != cost.shape[1] or not cost.shape[0]:
        raise InvalidType(function, "cost", "a square matrix (K, K) of at least one label", describe_array(cost))
    require_arrays(function, "xs", xs)
    if not len(xs):
        raise InvalidType(function, "xs", "an array for each step, at least one", "none")
    rows = xs[0].shape[0]
    for t, x in enumerate(xs):
        if x.ndim != 2 or x.shape[1] != cost.shape[0] or not same_dtype(x, cost):
            expected = f"{cost.dtype} (B_t, {cost.shape[0]}), to fit cost"
            raise InvalidType(function, f"xs[{t}]", expected, describe_array(x))
        if x.shape[0] > rows:
            hint = "Sort the sequences, longest first, so that the first rows of each step continue."
            raise InvalidType(function, f"xs[{t}]", f"at most the {rows} rows before", describe_array(x), hint)
        rows = x.shape[0]
