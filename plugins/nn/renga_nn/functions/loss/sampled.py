"""Losses for very many classes, which look at the right one and at a sample of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.activation import softplus
from renga_nn.functions.array import where
from renga_nn.functions.checks import (
    as_integer,
    labels_of,
    require_array,
    require_choice,
    require_floating,
    require_labels_in_range,
)
from renga_nn.functions.connection import embed_id
from renga_nn.functions.math import expm1, log, logsumexp, minimum

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["black_out", "negative_sampling"]

IGNORED = -1


@overload
def negative_sampling(
    x: Any,
    t: Any,
    W: Any,
    sampler: Callable[[tuple[int, ...]], Array],
    sample_size: int,
    reduce: str = "sum",
    *,
    return_samples: Literal[False] = False,
) -> Variable: ...
@overload
def negative_sampling(
    x: Any,
    t: Any,
    W: Any,
    sampler: Callable[[tuple[int, ...]], Array],
    sample_size: int,
    reduce: str = "sum",
    *,
    return_samples: Literal[True],
) -> tuple[Variable, Array]: ...
def negative_sampling(
    x: Any,
    t: Any,
    W: Any,
    sampler: Callable[[tuple[int, ...]], Array],
    sample_size: int,
    reduce: str = "sum",
    *,
    return_samples: bool = False,
) -> Variable | tuple[Variable, Array]:
    """Tell the right class from a sample of others, yes or no for each (Mikolov et al. 2013, eq. 4).

    ``-log sigmoid(x W[t]) - sum(log sigmoid(-x W[s]))`` over sampled classes s: the time it takes does not depend on
    the number of classes.

    Args:
        x: Vectors ``(N, D)``.
        t: Right classes ``(N,)``, integers from 0 to V - 1, or -1 for rows that do not count.
        W: A vector for each class, ``(V, D)``.
        sampler: Called with a shape, returns so many classes, drawn at random; such as `WalkerAlias.sample`.
        sample_size: Number of sampled classes for each row.
        reduce: ``"sum"`` over rows, or ``"no"`` for the loss of each.
        return_samples: Also return the classes that were looked at, ``(N, 1 + sample_size)``, the right ones first.

    Returns:
        Variable of the dtype of `x`: a scalar, or ``(N,)`` with ``reduce="no"``; with the samples if so asked.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.
        ValueError: `reduce` is no such word, or there is no such class.

    >>> import numpy as np
    >>> W = np.array([[5.0, 0.0], [-5.0, 0.0], [0.0, 5.0]])
    >>> draw = lambda shape: np.full(shape, 1)
    >>> negative_sampling(np.array([[1.0, 0.0]]), np.array([0]), W, draw, sample_size=1).array.round(4).item()
    0.0134
    """
    require_choice("negative_sampling", "reduce", reduce, ("sum", "no"))
    labels, counts = _checked("negative_sampling", x, t, W)
    xp = get_backend(labels).xp
    sample_size = as_integer("negative_sampling", "sample_size", sample_size, least=0)
    others = sampler((x.shape[0], sample_size + 1))[:, 1:]
    right = xp.where(counts, labels, 0).astype(others.dtype)
    scores = _scores(x, xp.concatenate((right[:, None], others), axis=1), W)
    negative = xp.arange(sample_size + 1) > 0
    losses = softplus(where(xp.broadcast_to(negative, scores.shape), scores, -scores))
    loss = where(counts, sum_of(losses, axis=1), 0)
    if reduce == "sum":
        loss = sum_of(loss)
    if not return_samples:
        return loss
    return loss, xp.concatenate((labels.astype(others.dtype)[:, None], others), axis=1)


def black_out(x: Any, t: Any, W: Any, samples: Any, reduce: str = "mean") -> Variable:
    """Tell the right class from a sample of others, by a softmax over them (Ji et al. 2016).

    With ``p = softmax`` of the scores of the right class and the sampled ones: ``-log p(t) - sum(log(1 - p(s)))`` over
    the samples s.

    Args:
        x: Vectors ``(N, D)``.
        t: Right classes ``(N,)``, integers from 0 to V - 1, or -1 for rows that do not count.
        W: A vector for each class, ``(V, D)``.
        samples: Sampled classes ``(N, S)``.
        reduce: ``"mean"`` over the rows that count, or ``"no"`` for the loss of each.

    Returns:
        Variable of the dtype of `x`: a scalar, or ``(N,)`` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.
        ValueError: `reduce` is no such word, or there is no such class.

    >>> import numpy as np
    >>> W = np.log([[4.0], [1.0], [3.0]])
    >>> loss = black_out(np.ones((1, 1)), np.array([0]), W, np.array([[1, 2]]))
    >>> round(float(np.exp(-loss.array)), 4)  # 4/8 * (1 - 1/8) * (1 - 3/8)
    0.2734
    """
    require_choice("black_out", "reduce", reduce, ("mean", "no"))
    labels, counts = _checked("black_out", x, t, W)
    require_array("black_out", "samples", samples)
    others = as_array(samples)
    if others.dtype.kind not in "iu" or others.ndim != 2 or others.shape[0] != x.shape[0]:
        raise InvalidType("black_out", "samples", f"integers ({x.shape[0]}, S)", describe_array(others))
    require_labels_in_range("black_out", others, W.shape[0])
    xp = get_backend(labels).xp
    right = xp.where(counts, labels, 0).astype(others.dtype)
    scores = _scores(x, xp.concatenate((right[:, None], others), axis=1), W)
    log_p = scores - reshape(logsumexp(scores, axis=1), (x.shape[0], 1))
    # log(1 - p), where p rounded to 1 would give -inf: the nearest number below it has to do.
    below = float(np.finfo(np.dtype(str(x.dtype))).epsneg)
    log_not = log(-expm1(minimum(log_p[:, 1:], -below)))
    loss = where(counts, -log_p[:, 0] - sum_of(log_not, axis=1), 0)
    if reduce == "no":
        return loss
    mean: Variable = sum_of(loss) / xp.maximum(counts.sum(), 1).astype(x.dtype)
    return mean


def _checked(function: str, x: Any, t: Any, W: Any) -> tuple[Array, Array]:
    """The right classes, and which of them count."""
    require_floating(function, "x", x)
    if x.ndim != 2:
        raise InvalidType(function, "x", "(N, D)", describe_array(x))
    require_array(function, "W", W)
    if W.ndim != 2 or W.shape[1] != x.shape[1] or not same_dtype(W, x):
        raise InvalidType(function, "W", f"{x.dtype} (V, {x.shape[1]}), to fit x", describe_array(W))
    labels = labels_of(function, x, t)
    counts = labels != IGNORED
    require_labels_in_range(function, get_backend(labels).xp.where(counts, labels, 0), W.shape[0])
    return labels, counts


def _scores(x: Any, classes: Array, W: Any) -> Variable:
    """``x[n] W[classes[n, k]]``, ``(N, K)``."""
    return sum_of(embed_id(classes, W) * reshape(x, (x.shape[0], 1, x.shape[1])), axis=2)
