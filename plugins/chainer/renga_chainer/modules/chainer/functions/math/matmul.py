"""``chainer.functions.math.matmul``: Renga's functions, and helpers that programs use for products of their own."""

from __future__ import annotations

from typing import Any

from renga_chainer.modules.chainer.utils import type_check
from renga_core.backend import Array, get_array_module

__all__: list[str] = []


def _matmul(a: Array, b: Array, transa: bool = False, transb: bool = False, transout: bool = False) -> Array:
    """Return the product of two arrays ``(..., M, K)`` and ``(..., K, N)``, of which each may be transposed first.

    Args:
        a, b: Matrices, stacks of matrices, or vectors.
        transa, transb: Whether to transpose `a` and `b`. Vectors stay as they are.
        transout: Whether to transpose the product.
    """
    if transout:
        a, b, transa, transb = b, a, not transb, not transa
    a, b = (x.swapaxes(-1, -2) if turn and x.ndim > 1 else x for x, turn in ((a, transa), (b, transb)))
    product: Array = get_array_module(a).matmul(a, b)
    return product


def _check_ndim(in_type: Any, lower: int = 1, upper: int = 2) -> None:
    """Check the number of axes.

    Raises:
        InvalidType: It is below `lower` or above `upper`.
    """
    type_check.expect(in_type.ndim >= lower, in_type.ndim <= upper)


def _get_check_index(trans: bool, right: bool, row_idx: int = 0, col_idx: int = 1) -> int:
    """Return the axis over which a product sums: the columns of the left operand, the rows of the right one."""
    return row_idx if trans != right else col_idx
