"""The diagonals of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph.operators import get_item, reshape, transpose
from renga_nn.functions.checks import as_integer, normalize_axis, require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["diagonal"]


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Variable:
    """The elements ``(i, i + offset)`` of the matrices in two axes, along a new last axis.

    Args:
        x: Variable or array with at least two axes.
        offset: Distance above the main diagonal; negative numbers are below it.
        axis1, axis2: Axes of rows and of columns.

    Returns:
        Variable: `x` without the two axes, with the diagonal as a new last axis.

    Raises:
        ValueError: There are no such axes, or they are the same.

    >>> import numpy as np
    >>> diagonal(np.arange(6.0).reshape(2, 3), 1).array.tolist()
    [1.0, 5.0]
    """
    require_array("diagonal", "x", x)
    rows, columns = normalize_axis("diagonal", axis1, x.ndim), normalize_axis("diagonal", axis2, x.ndim)
    if rows == columns:
        raise ValueError(f"diagonal: axis1 {axis1} and axis2 {axis2} are one axis")
    offset = as_integer("diagonal", "offset", offset)
    others = [axis for axis in range(x.ndim) if axis not in (rows, columns)]
    height, width = x.shape[rows], x.shape[columns]
    flat = reshape(transpose(x, (*others, rows, columns)), (*[x.shape[a] for a in others], height * width))
    # In row-major order, each element of the diagonal is one row and one column after the previous one.
    length = max(0, min(height, width - offset) if offset >= 0 else min(height + offset, width))
    start = offset if offset >= 0 else -offset * width
    steps = slice(start, start + (length - 1) * (width + 1) + 1, width + 1) if length else slice(0, 0)
    return get_item(flat, (..., steps))
