"""Sums of several arrays, and matrix products with transposed factors."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from renga_core.graph.operators import add as add_two
from renga_core.graph.operators import matmul as matmul_plain
from renga_core.graph.operators import transpose

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["add", "matmul"]


def add(*xs: Any) -> Variable:
    """The sum of two or more Variables, arrays or scalars, broadcast.

    Raises:
        TypeError: Fewer than two are given.
        InvalidType: The shapes do not broadcast.

    >>> import numpy as np
    >>> add(np.array([1.0, 2.0]), np.array([10.0]), 100).array.tolist()
    [111.0, 112.0]
    """
    if len(xs) < 2:
        raise TypeError(f"add: at least two summands are needed, got {len(xs)}")
    total: Variable = reduce(add_two, xs)
    return total


def matmul(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Variable:
    """``a @ b``: matrices in the last two axes, the others broadcast; a vector is a row or a column.

    Args:
        a, b: Variables or arrays.
        transa, transb: Transpose the matrices of `a`, of `b`, first; a vector stays as it is.

    Raises:
        InvalidType: The shapes do not fit, or an operand is a scalar.

    >>> import numpy as np
    >>> matmul(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), transb=True).array.tolist()
    [[11.0]]
    """
    return matmul_plain(_transposed(a) if transa else a, _transposed(b) if transb else b)


def _transposed(x: Any) -> Any:
    return transpose(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)) if x.ndim > 1 else x
