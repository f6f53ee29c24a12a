"""The loss of De Brabandere et al. (2017) as in Chainer: absent instances count, too."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable, as_array, as_variable
from renga_nn import functions as F

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
    """Like `renga.functions.discriminative_margin_based_clustering_loss`, but an absent instance has mean 0.

    Absent instances count in the three means, and other instances are pushed away from them. Pixels without an instance
    have distance 0. Published programs compute this loss.

    Args:
        embeddings: ``(N, max_embedding_dim, H, W)``.
        labels: Integers ``(N, H, W)``: instances from 1.
        delta_v, delta_d, max_embedding_dim, norm, alpha, beta, gamma: As in Renga's function.

    Raises:
        ValueError: `norm` is neither 1 nor 2, or `max_embedding_dim` is not positive.
    """
    if max_embedding_dim <= 0:
        raise ValueError("Max number of embeddings has to be positive!")
    if norm not in (1, 2):
        raise ValueError(f"For discriminative loss, norm can only be 1 or 2. Obtained the value : {norm}")
    x = as_variable(embeddings)
    marks = as_array(labels)
    n, size, height, width = x.shape
    assert max_embedding_dim == size
    xp, dtype = x.xp, x.dtype
    pixels = F.reshape(x, (1, n, size, height * width))
    instances = xp.arange(1, size + 1).reshape(size, 1, 1, 1)
    member = (marks.reshape(1, n, 1, height * width) == instances).astype(dtype)  # (instances, N, 1, pixels)
    counts = member.sum(axis=(2, 3))  # (instances, N)
    spread = F.broadcast_to(pixels, (size, n, size, height * width)) * member
    means = F.sum(spread, axis=3) / xp.maximum(counts, 1).reshape(size, n, 1)

    regularization = F.sum(_norm(means, (1, 2), norm)) / (size * n)
    distances = _norm((F.reshape(means, (size, n, size, 1)) - pixels) * member, 2, norm)
    excess = F.relu(distances - delta_v) ** 2
    variance = F.sum(F.sum(excess, axis=(1, 2)) / xp.maximum(counts.sum(axis=1), 1)) / size

    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    lacking = [F.sum(F.relu(2 * delta_d - _norm(means[a] - means[b], 1, norm)) ** 2) for a, b in pairs]
    distance = sum(lacking, as_variable(xp.zeros((), dtype))) / max(len(pairs) * n, 1)
    return variance * alpha, distance * beta, regularization * gamma


def _norm(x: Variable, axis: int | tuple[int, ...], norm: int) -> Variable:
    return F.sum(abs(x), axis=axis) if norm == 1 else F.sqrt(F.sum(x * x, axis=axis))
