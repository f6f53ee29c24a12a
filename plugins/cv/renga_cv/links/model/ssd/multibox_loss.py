"""The loss of SSD, with hard negative mining."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import get_backend
from renga_core.graph import Variable, as_array
from renga_core.graph.operators import reshape
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.loss import huber_loss, softmax_cross_entropy

if TYPE_CHECKING:
    from renga_core.communicator import CommunicatorBase

__all__ = ["multibox_loss"]


def multibox_loss(
    mb_locs: Any, mb_confs: Any, gt_mb_locs: Any, gt_mb_labels: Any, k: float, comm: CommunicatorBase | None = None
) -> tuple[Variable, Variable]:
    """Loss of locations and of classes over default boxes (Liu et al. 2016, section 2.2, equations 1 to 3).

    The loss of locations is the Huber loss with delta 1 of boxes that have an object (label > 0). The loss of classes
    is the softmax cross entropy of these boxes, and, in each image, of `k` times as many background boxes with the
    largest losses. Both sums are divided by the number of boxes in the batch that have an object. If no box has an
    object, both losses and their gradients are 0.

    Args:
        mb_locs: Predicted locations ``(N, K, 4)`` from `Multibox`.
        mb_confs: Predicted scores ``(N, K, n_class)``.
        gt_mb_locs: True locations ``(N, K, 4)``, from `MultiboxCoder.encode` for each image.
        gt_mb_labels: True classes ``(N, K)``, integers; 0 is the background.
        k: Number of background boxes per box with an object; 3 in the paper.
        comm: Communicator. With it, the number of boxes is the mean over its ranks, so that the mean of gradients is
            that of one large batch.

    Returns:
        The loss of locations and that of classes; two scalars.

    Raises:
        InvalidType: Shapes or dtypes do not match.
    """
    labels, targets = as_array(gt_mb_labels), as_array(gt_mb_locs)
    xp, dtype = get_backend(labels).xp, mb_locs.dtype
    positive = labels > 0
    # Where no box is positive both sums below are 0, and are divided by 1.
    if comm is None:
        count = positive.sum().astype(dtype)
        scale = 1 / xp.where(count > 0, count, 1.0)
    else:
        scale = comm.size / (comm.allreduce_obj(int(positive.sum())) or comm.size)

    loc_loss = sum_of(huber_loss(mb_locs, targets, 1, reduce="no"), axis=2)
    # All boxes of the batch as one axis: cross entropy is fastest in this layout.
    scores = reshape(mb_confs, (-1, mb_confs.shape[2]))
    conf_loss = softmax_cross_entropy(scores, labels.reshape(-1), reduce="no")
    counted = positive | _hard_negatives(xp, conf_loss.array.reshape(labels.shape), positive, k)
    loc_weight = positive.astype(dtype) * scale
    conf_weight = counted.reshape(-1).astype(dtype) * scale
    return sum_of(loc_loss * loc_weight), sum_of(conf_loss * conf_weight)


def _hard_negatives(xp: Any, loss: Any, positive: Any, k: float) -> Any:
    """In each image, the boxes of the background with the largest losses, `k` for each positive box."""
    # A loss is at least 0, so that positive boxes come last.
    rank = xp.argsort(xp.argsort(xp.where(positive, 1.0, -loss), axis=1), axis=1)
    wanted = positive.sum(axis=1, keepdims=True).astype(loss.dtype) * k
    return (rank.astype(loss.dtype) < wanted) & ~positive
