"""Maxout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_nn.functions.checks import as_integer, normalize_axis, require_floating
from renga_nn.functions.math.reduction import max as max_of

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["maxout"]


def maxout(x: Any, pool_size: int, axis: int = 1) -> Variable:
    """The largest of each `pool_size` elements along an axis (Goodfellow et al. 2013); ties share the gradient.

    Args:
        x: Variable or array of a floating dtype.
        pool_size: Size of the groups; it divides the size of the axis.
        axis: The axis.

    Returns:
        Variable of the dtype of `x`, with ``x.shape[axis] // pool_size`` elements along the axis.

    Raises:
        InvalidType: `x` is not floating, or `pool_size` does not divide the axis' size.
        ValueError: There is no such axis, or `pool_size` is less than 1.

    >>> import numpy as np
    >>> maxout(np.array([[1.0, 5.0, 3.0, 2.0]]), 2).array.tolist()
    [[5.0, 3.0]]
    """
    require_floating("maxout", "x", x)
    number = normalize_axis("maxout", axis, x.ndim)
    size = x.shape[number]
    pool_size = as_integer("maxout", "pool_size", pool_size, least=1)
    if size % pool_size:
        raise InvalidType("maxout", "x", f"axis {axis} divisible by {pool_size}", describe_array(x))
    groups = (*x.shape[:number], size // pool_size, pool_size, *x.shape[number + 1 :])
    return max_of(reshape(x, groups), axis=number + 1)
