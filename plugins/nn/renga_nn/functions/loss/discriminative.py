"""A loss for instance segmentation by clustering of pixel embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph import InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import absolute, matmul, reshape, transpose
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.activation.relu import relu
from renga_nn.functions.array.cast import cast
from renga_nn.functions.checks import as_integer, as_number, require_floating
from renga_nn.functions.loss.distance import length
from renga_nn.functions.loss.precision import widened

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["discriminative_margin_based_clustering_loss"]


def discriminative_margin_based_clustering_loss(
    embeddings: Any,
    labels: Any,
    delta_v: float,
    delta_d: float,
    max_embedding_dim: int,
    norm: int = 1,
    alpha: float = 1.0,
    beta: float = 1.0,
    gamma: float = 0.001,
) -> tuple[Variable, Variable, Variable]:
    """Pull pixels to the mean of their instance, and push means apart (De Brabandere et al. 2017).

    With m, the mean embedding of an instance in an image:

    - variance: ``max(0, |x - m| - delta_v)**2``, averaged over the pixels x of each instance over all images, then over
      instances;
    - distance: ``max(0, 2 delta_d - |m - m'|)**2``, averaged over pairs of instances in the same image;
    - regularization: ``|m|``, averaged over all.

    Args:
        embeddings: Variable or array ``(N, max_embedding_dim, H, W)`` of a floating dtype.
        labels: Integers ``(N, H, W)``: the instance of each pixel, from 1 to `max_embedding_dim`. Other values, such as
            0 for the background, are ignored, and so are instances that occur in no image.
        delta_v, delta_d: Margins of the first two terms.
        max_embedding_dim: Number of dimensions of an embedding, and of instances.
        norm: ``|x|`` is the sum of absolute values (1), or the square root of the sum of squares (2).
        alpha, beta, gamma: Factors of the three terms.

    Returns:
        Three scalars of the dtype of `embeddings`: variance, distance and regularization, each with its factor.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: `norm` is neither 1 nor 2.

    >>> import numpy as np
    >>> embeddings = np.array([0.0, 2.0, 5.0, 5.0] + [0.0] * 4).reshape(1, 2, 1, 4)
    >>> losses = discriminative_margin_based_clustering_loss(embeddings, np.array([[[1, 1, 2, 2]]]), 0.5, 3.0, 2)
    >>> [float(loss.array) for loss in losses]
    [0.125, 4.0, 0.003]
    """
    name = "discriminative_margin_based_clustering_loss"
    norm, max_embedding_dim = as_integer(name, "norm", norm), as_integer(name, "max_embedding_dim", max_embedding_dim)
    delta_v, delta_d = as_number(name, "delta_v", delta_v), as_number(name, "delta_d", delta_d)
    alpha, beta, gamma = (
        as_number(name, argument, value) for argument, value in (("alpha", alpha), ("beta", beta), ("gamma", gamma))
    )
    if norm not in (1, 2):
        raise ValueError(f"{name}: norm is {norm!r}; it must be 1 or 2")
    require_floating(name, "embeddings", embeddings)
    if embeddings.ndim != 4 or embeddings.shape[1] != max_embedding_dim:
        raise InvalidType(name, "embeddings", f"shape (N, {max_embedding_dim}, H, W)", describe_array(embeddings))
    n, size, height, width = embeddings.shape
    marks = as_array(labels)
    if getattr(marks, "shape", None) != (n, height, width) or marks.dtype.kind not in "iu":
        raise InvalidType(name, "labels", f"integers {(n, height, width)}", describe_array(marks))

    (vectors,) = widened(embeddings)
    pixels = transpose(reshape(vectors, (n, size, height * width)), (0, 2, 1))
    xp, dtype = vectors.xp, vectors.dtype
    instances = xp.arange(1, size + 1, dtype=marks.dtype)
    member = (marks.reshape(n, height * width, 1) == instances).astype(dtype)  # (N, pixels, instances)
    counts = member.sum(axis=1)  # (N, instances)
    present = (counts > 0).astype(dtype)

    means = matmul(member.transpose(0, 2, 1), pixels) / xp.maximum(counts, 1).reshape(n, size, 1)
    # The mean of a pixel's own instance; for pixels without an instance, the weight below is 0.
    excess = relu(_norm(pixels - matmul(member, means), 2, norm) - delta_v)
    totals = counts.sum(axis=0)
    seen = (totals > 0).astype(dtype)
    weights = (member * (seen / (xp.maximum(totals, 1) * xp.maximum(seen.sum(), 1)))).sum(axis=2)
    variance = sum_of(excess * excess * weights)

    # Pairs (a, b) of instances in the same image, a < b.
    order = xp.arange(size)
    before = (order.reshape(-1, 1) < order).astype(dtype)
    pairs = present.reshape(n, size, 1) * present.reshape(n, 1, size) * before
    gaps = reshape(means, (n, size, 1, size)) - reshape(means, (n, 1, size, size))
    lacking = relu(2 * delta_d - _norm(gaps, 3, norm))
    distance = sum_of(lacking * lacking * pairs) / xp.maximum(pairs.sum(), 1)

    regularization = sum_of(_norm(means, 2, norm)) / xp.maximum(present.sum(), 1)
    losses = (variance * alpha, distance * beta, regularization * gamma)
    return cast(losses[0], embeddings.dtype), cast(losses[1], embeddings.dtype), cast(losses[2], embeddings.dtype)


def _norm(x: Variable, axis: int, norm: int) -> Variable:
    return sum_of(absolute(x), axis=axis) if norm == 1 else length(x, axis)
