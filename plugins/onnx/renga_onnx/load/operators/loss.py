"""Losses."""

from __future__ import annotations

from typing import Any

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import same_as

__all__: list[str] = []


@operator("NegativeLogLikelihoodLoss", fixed=(2,))
def negative_log_likelihood_loss(
    x: Any, target: Any, weight: Any = None, *, reduction: str = "mean", ignore_index: int | None = None
) -> Any:
    """Negative log likelihood of log probabilities ``(N, C, ...)`` and classes ``(N, ...)``, weighted by class."""
    xp = get_array_module(x)
    ignored = xp.zeros(target.shape, dtype=bool) if ignore_index is None else target == ignore_index
    index = xp.where(ignored, 0, target)
    own = [xp.arange(n).reshape([-1 if i == j else 1 for j in range(index.ndim)]) for i, n in enumerate(index.shape)]
    chosen = x[(own[0], index, *own[1:])]
    share = xp.where(ignored, same_as(x, 0), same_as(x, 1))
    factor = share if weight is None else weight[index] * share
    loss = -chosen * factor
    if reduction == "none":
        return loss
    return F.sum(loss) / F.sum(factor) if reduction == "mean" else F.sum(loss)


@operator("SoftmaxCrossEntropyLoss", fixed=(2,))
def softmax_cross_entropy_loss(
    scores: Any, labels: Any, weights: Any = None, *, reduction: str = "mean", ignore_index: int | None = None
) -> Any:
    """Softmax cross entropy over classes, and the log probabilities."""
    log_p = F.log_softmax(scores, axis=1)
    loss = negative_log_likelihood_loss(log_p, labels, weights, reduction=reduction, ignore_index=ignore_index)
    return loss, log_p
