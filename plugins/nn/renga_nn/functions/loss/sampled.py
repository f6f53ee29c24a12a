"""Losses for very many classes, which compare the correct class with a sample of others."""

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
    """Negative sampling: binary losses for the correct class and a sample of others (Mikolov et al. 2013, eq. 4).

    ``-log sigmoid(x W[t]) - sum(log sigmoid(-x W[s]))`` over sampled classes s: the cost does not depend on the number
    of classes.

    Args:
        x: Vectors ``(N, D)``.
        t: Correct classes ``(N,)``, integers from 0 to V - 1, or -1 for rows to ignore.
        W: A vector for each class, ``(V, D)``.
        sampler: Called with a shape, returns randomly drawn classes in this shape; for example `WalkerAlias.sample`.
        sample_size: Number of sampled classes for each row.
        reduce: ``"sum"`` over rows, or ``"no"`` for the loss of each.
        return_samples: Also return the classes used, ``(N, 1 + sample_size)``, the correct ones first.

    Returns:
        Variable of the dtype of `x`: a scalar, or ``(N,)`` with ``reduce="no"``; with `return_samples` also the
        samples.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.
        ValueError: `reduce` is invalid, or a class is out of range.

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
    """BlackOut: a softmax over the correct class and a sample of others (Ji et al. 2016).

    With p, the softmax of the scores of the correct class and the samples s: ``-log p(t) - sum(log(1 - p(s)))``.

    Args:
        x: Vectors ``(N, D)``.
        t: Correct classes ``(N,)``, integers from 0 to V - 1, or -1 for rows to ignore.
        W: A vector for each class, ``(V, D)``.
        samples: Sampled classes ``(N, S)``.
        reduce: ``"mean"`` over rows not ignored, or ``"no"`` for the loss of each.

    Returns:
        Variable of the dtype of `x`: a scalar, or ``(N,)`` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.
        ValueError: `reduce` is invalid, or a class is out of range.

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
    # log(1 - p) would be -inf if p rounds to 1: use the nearest number below 1.
    below = float(np.finfo(np.dtype(str(x.dtype))).epsneg)
    log_not = log(-expm1(minimum(log_p[:, 1:], -below)))
    loss = where(counts, -log_p[:, 0] - sum_of(log_not, axis=1), 0)
    if reduce == "no":
        return loss
    mean: Variable = sum_of(loss) / xp.maximum(counts.sum(), 1).astype(x.dtype)
    return mean


def _checked(function: str, x: Any, t: Any, W: Any) -> tuple[Array, Array]:
    """The correct classes, and a mask of rows not ignored."""
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
