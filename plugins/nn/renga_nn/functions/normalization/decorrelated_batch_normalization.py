"""Batch normalization that also decorrelates channels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, is_floating
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast, matmul, reshape, transpose
from renga_nn.functions.checks import as_integer, as_number, require_array
from renga_nn.functions.normalization.batch_statistics import move_averages
from renga_nn.functions.normalization.whitening import inverse_square_root

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["decorrelated_batch_normalization", "fixed_decorrelated_batch_normalization"]


def decorrelated_batch_normalization(
    x: Any,
    *,
    groups: int = 16,
    eps: float = 2e-5,
    running_mean: Array | None = None,
    running_projection: Array | None = None,
    decay: float = 0.9,
) -> Variable:
    """Whiten each group of channels by the statistics of the batch (Huang et al. 2018, algorithm 1).

    ``y = P (x - mean)`` with the projection ``P = (covariance + eps) ** -1/2`` (ZCA): of all linear maps to
    uncorrelated channels of variance 1, it changes the channels least.

    Args:
        x: Batch ``(N, C, ...)``.
        groups: Number of groups of channels; it divides C. Channels in a group are decorrelated.
        eps: Added to the variances to avoid division by zero.
        running_mean, running_projection: Arrays ``(groups, C / groups)`` and ``(groups, C / groups, C / groups)``,
            updated in place with the moving averages of the mean and of the projection (with unbiased covariance),
            which `fixed_decorrelated_batch_normalization` uses in test mode. None: no update.
        decay: Weight of the old values in that update.

    Returns:
        Variable of the shape and dtype of `x`. Statistics of float16 are computed in float32.

    Raises:
        InvalidType: `x` is not floating, or has no channel axis.
        ValueError: `groups` does not divide the channels; the batch is empty.

    >>> import numpy as np
    >>> x = np.array([[1.0, 1.0], [2.0, 2.0], [1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [0.0, 0.0]])
    >>> y = decorrelated_batch_normalization(x, groups=1, eps=0).array
    >>> np.allclose(y.T @ y / 6, np.eye(2))
    True
    """
    function = "decorrelated_batch_normalization"
    groups = _check(function, x, groups)
    if 0 in x.shape:
        raise ValueError(f"{function}: an empty batch has no mean: {describe_array(x)}")
    values = _grouped(cast(x, np.promote_types(x.dtype, np.float32)), groups)
    size, count = values.shape[1:]
    if running_mean is not None:
        _require_statistics(function, "running_mean", running_mean, (groups, size))
    if running_projection is not None:
        _require_statistics(function, "running_projection", running_projection, (groups, size, size))
    mean = values.mean(axis=2, keepdims=True)
    centred = values - mean
    eps, decay = as_number(function, "eps", eps), as_number(function, "decay", decay)
    ridge = eps * get_array_module(x).eye(size, dtype=values.dtype)
    projection = inverse_square_root(matmul(centred, transpose(centred, (0, 2, 1))) * (1.0 / count) + ridge)
    y = matmul(projection, centred)
    unbiased = math.sqrt(max(count - 1, 1) / count)
    move_averages(
        decay,
        (running_mean, mean.array.reshape(groups, size), 1.0),
        (running_projection, projection.array, unbiased),
    )
    return cast(_ungrouped(y, x.shape), x.dtype)


def fixed_decorrelated_batch_normalization(x: Any, mean: Any, projection: Any, groups: int = 16) -> Variable:
    """Whiten each group of channels by given statistics, as in test mode: ``y = projection (x - mean)``.

    Args:
        x: Batch ``(N, C, ...)``.
        mean: Means ``(groups, C / groups)``.
        projection: Projections ``(groups, C / groups, C / groups)``.
        groups: Number of groups of channels.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.
        ValueError: `groups` does not divide the channels.

    >>> import numpy as np
    >>> x, mean, projection = np.array([[3.0, 1.0]]), np.ones((1, 2)), np.array([[[0.0, 1.0], [2.0, 0.0]]])
    >>> fixed_decorrelated_batch_normalization(x, mean, projection, groups=1).array.tolist()
    [[0.0, 4.0]]
    """
    function = "fixed_decorrelated_batch_normalization"
    groups = _check(function, x, groups)
    size = x.shape[1] // groups
    for name, value, shape in (("mean", mean, (groups, size)), ("projection", projection, (groups, size, size))):
        _require_statistics(function, name, value, shape)
    dtype = np.promote_types(x.dtype, np.float32)
    centred = _grouped(cast(x, dtype), groups) - reshape(cast(mean, dtype), (groups, size, 1))
    return cast(_ungrouped(matmul(cast(projection, dtype), centred), x.shape), x.dtype)


def _require_statistics(function: str, argument: str, value: Any, shape: tuple[int, ...]) -> None:
    require_array(function, argument, value)
    if tuple(value.shape) != shape or not is_floating(value.dtype):
        raise InvalidType(function, argument, f"floating, of shape {shape}", describe_array(value))


def _check(function: str, x: Any, groups: Any) -> int:
    require_array(function, "x", x)
    if x.ndim < 2 or not is_floating(x.dtype):
        raise InvalidType(function, "x", "at least 2 axes and a floating dtype", describe_array(x))
    number = as_integer(function, "groups", groups)
    if number < 1 or x.shape[1] % number:
        raise ValueError(f"{function}: groups={number} does not divide the channels of x: {describe_array(x)}")
    return number


def _grouped(x: Variable, groups: int) -> Variable:
    """Reshape ``(N, C, ...)`` to ``(groups, C / groups, everything else)``."""
    n, channels, *size = x.shape
    return reshape(transpose(x, (1, 0, *range(2, x.ndim))), (groups, channels // groups, n * math.prod(size)))


def _ungrouped(y: Variable, shape: tuple[int, ...]) -> Variable:
    """Reshape back to `shape`."""
    n, channels, *size = shape
    return transpose(reshape(y, (channels, n, *size)), (1, 0, *range(2, len(shape))))
