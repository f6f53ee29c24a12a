"""Cross entropy between scores and probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.activation import log_softmax
from renga_nn.functions.array import where
from renga_nn.functions.checks import require_same
from renga_nn.functions.math import log

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["soft_target_cross_entropy"]


def soft_target_cross_entropy(
    x: Any, t: Any, normalize: bool, class_weight: Array | None, reduce: str, soft_target_loss: str
) -> Variable:
    """``-sum(t * log_softmax(x))`` along axis 1, or the divergence ``sum(t * (log(t) - log_softmax(x)))``.

    Arguments and errors as for `softmax_cross_entropy`, which checks them except for the shape and dtype of `t`.
    """
    require_same("softmax_cross_entropy", "x", x, "t", t)
    log_y = log_softmax(x, axis=1)
    if class_weight is not None:
        log_y = log_y * class_weight.reshape(-1, *[1] * (x.ndim - 2))
    if soft_target_loss == "kl-divergence":
        # t log t is 0 for t = 0; use the logarithm of 1 there.
        positive = t.array > 0 if hasattr(t, "array") else t > 0
        log_y = log_y - log(where(positive, t, 1))
    loss = -sum_of(log_y * t, axis=1)
    if reduce == "no":
        return loss
    return sum_of(loss) / max(1, loss.size if normalize else x.shape[0])
