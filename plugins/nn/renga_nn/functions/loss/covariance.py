"""Losses that decorrelate units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import same_dtype
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import matmul, transpose
from renga_core.graph.operators import mean as mean_of
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.array.cast import cast
from renga_nn.functions.checks import require_choice, require_floating
from renga_nn.functions.loss.precision import widened

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["cross_covariance", "decov"]

REDUCTIONS = ("half_squared_sum", "no")


def cross_covariance(y: Any, z: Any, reduce: str = "half_squared_sum") -> Variable:
    """The covariances over the batch of each unit of `y` with each of `z` (Cheung et al. 2014).

    ``C[i, j] = mean((y - mean(y))[:, i] * (z - mean(z))[:, j])``, and ``sum(C * C) / 2``.

    Args:
        y, z: Variables or arrays ``(N, J)`` and ``(N, K)`` of one floating dtype.
        reduce: ``"half_squared_sum"``, or ``"no"`` for C.

    Returns:
        Variable of the dtype of `y`: a scalar, or ``(J, K)`` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: `reduce` is invalid.

    >>> import numpy as np
    >>> cross_covariance(np.array([[-1.0], [1.0]]), np.array([[2.0], [6.0]]), reduce="no").array.tolist()
    [[2.0]]
    """
    require_choice("cross_covariance", "reduce", reduce, REDUCTIONS)
    _require_matrix("cross_covariance", "y", y)
    _require_matrix("cross_covariance", "z", z)
    if y.shape[0] != z.shape[0] or not same_dtype(y, z):
        expected = f"rows and dtype as y: {describe_array(y)}"
        raise InvalidType("cross_covariance", "z", expected, describe_array(z))
    left, right = widened(y, z)
    return _reduced(_covariance(left, right), reduce, y.dtype)


def decov(h: Any, reduce: str = "half_squared_sum") -> Variable:
    """The covariances over the batch between different units (Cogswell et al. 2016).

    ``C[i, j] = mean((h - mean(h))[:, i] * (h - mean(h))[:, j])`` for different i and j, otherwise 0; the loss is
    ``sum(C * C) / 2``.

    Args:
        h: Variable or array ``(N, K)`` of a floating dtype.
        reduce: ``"half_squared_sum"``, or ``"no"`` for C.

    Returns:
        Variable of the dtype of `h`: a scalar, or ``(K, K)`` with ``reduce="no"``.

    Raises:
        InvalidType: `h` is not a floating matrix.
        ValueError: `reduce` is invalid.

    >>> import numpy as np
    >>> decov(np.array([[-1.0, 2.0], [1.0, 6.0]]), reduce="no").array.tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    require_choice("decov", "reduce", reduce, REDUCTIONS)
    _require_matrix("decov", "h", h)
    (units,) = widened(h)
    others = 1 - units.xp.eye(units.shape[1], dtype=units.dtype)
    return _reduced(_covariance(units, units) * others, reduce, h.dtype)


def _covariance(y: Variable, z: Variable) -> Variable:
    """Covariances of columns."""
    centered = y - mean_of(y, axis=0, keepdims=True)
    return matmul(transpose(centered), z - mean_of(z, axis=0, keepdims=True)) / max(1, y.shape[0])


def _require_matrix(function: str, argument: str, x: Any) -> None:
    require_floating(function, argument, x)
    if x.ndim != 2:
        raise InvalidType(function, argument, "a batch of vectors (N, K)", describe_array(x))


def _reduced(covariance: Variable, reduce: str, dtype: Any) -> Variable:
    return cast(covariance if reduce == "no" else sum_of(covariance * covariance) * 0.5, dtype)
