"""``chainer.link_hooks``: Renga's, and the steps of spectral normalization."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_nn.functions import matmul

__all__ = ["calculate_max_singular_value", "l2normalize", "update_approximate_vectors"]


def l2normalize(xp: Any, v: Array, eps: float) -> Array:
    """Return ``v / (|v| + eps)``."""
    return v / (xp.linalg.norm(v) + eps)


def update_approximate_vectors(
    weight_matrix: Variable, u: Array, n_power_iteration: int, eps: float
) -> tuple[Array, Array]:
    """Return the singular vectors for the largest singular value of a matrix, by power iteration from `u`."""
    W, xp = weight_matrix.array, weight_matrix.xp
    for _ in range(n_power_iteration):
        v = l2normalize(xp, xp.dot(u, W), eps)
        u = l2normalize(xp, xp.dot(W, v), eps)
    return u, v


def calculate_max_singular_value(weight_matrix: Variable, u: Array, v: Array) -> Variable:
    """Return ``u W v``: for singular vectors, the singular value."""
    return matmul(matmul(u, weight_matrix), v)
