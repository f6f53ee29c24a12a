"""The coefficient of determination."""

from __future__ import annotations

from typing import Any

from renga_core.backend import get_array_module
from renga_core.graph import InvalidType, Variable, as_array
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import require_array, require_choice, require_same, wide

__all__ = ["r2_score"]


def r2_score(pred: Any, true: Any, sample_weight: Any = None, multioutput: str = "uniform_average") -> Variable:
    """The coefficient of determination ``1 - Σ (true - pred)² / Σ (true - mean(true))²``, sums over the first axis.

    1 is perfect, 0 is as good as predicting the mean, and there is no lower limit. For a constant output the score is
    0. No gradient flows through it.

    Args:
        pred, true: Variables or arrays ``(N, ...)`` of the same shape and floating dtype; N is at least 1.
        sample_weight: Weights of the entries, ``(N,)``; None: equal weights.
        multioutput: ``uniform_average``: the mean of the scores of all outputs; ``raw_values``: all scores.

    Returns:
        Variable: a scalar or, for raw values, ``(...)``.

    Raises:
        InvalidType: Shapes or dtypes do not fit, or there are no entries.
        ValueError: There is no such `multioutput`.

    >>> import numpy as np
    >>> r2_score(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0])).array.tolist()
    0.5
    """
    require_choice("r2_score", "multioutput", multioutput, ("uniform_average", "raw_values"))
    require_same("r2_score", "pred", pred, "true", true)
    if pred.ndim == 0 or pred.shape[0] == 0:
        raise InvalidType("r2_score", "pred", "at least one entry", describe_array(pred))
    xp = get_array_module(pred)
    p, t = wide(as_array(pred)), wide(as_array(true))
    if sample_weight is None:
        weight = xp.ones_like(t[(slice(None), *[slice(1)] * (t.ndim - 1))])
    else:
        require_array("r2_score", "sample_weight", sample_weight)
        weight = as_array(sample_weight)
        if tuple(weight.shape) != tuple(t.shape[:1]):
            expected = f"a weight for each entry {tuple(t.shape[:1])}"
            raise InvalidType("r2_score", "sample_weight", expected, describe_array(weight))
        weight = weight.astype(t.dtype).reshape((-1, *[1] * (t.ndim - 1)))
    mean = (t * weight).sum(axis=0) / weight.sum(axis=0)
    missed = ((t - p) ** 2 * weight).sum(axis=0)
    varies = ((t - mean) ** 2 * weight).sum(axis=0)
    constant = varies == 0
    score = xp.where(constant, 0.0, 1 - missed / xp.where(constant, 1.0, varies))
    if multioutput == "uniform_average":
        score = score.mean()
    return Variable(xp.asarray(score, dtype=pred.dtype), requires_grad=False)
