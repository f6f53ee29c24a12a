"""A formula that distributions of vectors share."""

from __future__ import annotations

from renga_core.graph import Variable, as_variable
from renga_nn.functions import expand_dims

__all__ = ["outer_covariance"]


def outer_covariance(m: Variable) -> Variable:
    """``diag(m) - m mᵀ``: the covariance of one-hot vectors with mean `m`."""
    eye = as_variable(m.xp.eye(m.shape[-1], dtype=m.dtype))
    column = expand_dims(m, -1)
    return column * eye - column * expand_dims(m, -2)
