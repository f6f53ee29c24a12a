"""The bilinear layer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from renga_core.backend import same_dtype
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import matmul, reshape
from renga_nn.functions.checks import require_array, require_floating

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["bilinear"]


def bilinear(e1: Any, e2: Any, W: Any, V1: Any = None, V2: Any = None, b: Any = None) -> Variable:
    """``y[n, l] = sum_jk e1[n, j] e2[n, k] W[j, k, l]``, optionally ``+ (e1 V1 + e2 V2 + b)[n, l]``.

    The tensor layer of Socher et al. (2013).

    Args:
        e1, e2: Variables or arrays ``(N, J)`` and ``(N, K)`` of the same floating dtype. Axes after the first are
            flattened.
        W: Weights ``(J, K, L)``.
        V1, V2, b: Weights ``(J, L)`` and ``(K, L)``, and the bias ``(L,)``; all three or none.

    Returns:
        Variable ``(N, L)``.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.
        ValueError: Only some of `V1`, `V2` and `b` are given.

    >>> import numpy as np
    >>> bilinear(np.array([[2.0]]), np.array([[3.0, 4.0]]), np.ones((1, 2, 1))).array.tolist()
    [[14.0]]
    """
    affine = {"V1": V1, "V2": V2, "b": b}
    missing = [name for name, value in affine.items() if value is None]
    if 0 < len(missing) < 3:
        raise ValueError(f"bilinear: give V1, V2 and b together or not at all; missing: {', '.join(missing)}")
    left, right = _rows("e1", e1), _rows("e2", e2)
    n, j = left.shape
    k = right.shape[1]
    if right.shape[0] != n:
        raise InvalidType("bilinear", "e2", f"as many rows as e1: {describe_array(e1)}", describe_array(e2))
    require_floating("bilinear", "W", W)
    if W.ndim != 3 or tuple(W.shape[:2]) != (j, k):
        raise InvalidType("bilinear", "W", f"weights ({j}, {k}, L)", describe_array(W))
    size = W.shape[2]
    shapes = {"V1": (j, size), "V2": (k, size), "b": (size,)}
    for name, value in (("e2", e2), ("W", W), *affine.items()):
        if value is None:
            continue
        require_array("bilinear", name, value)
        if not same_dtype(value, e1) or tuple(value.shape) != shapes.get(name, tuple(value.shape)):
            expected = f"{e1.dtype} {shapes.get(name, 'as e1')}"
            raise InvalidType("bilinear", name, expected, describe_array(value))
    products = reshape(reshape(left, (n, j, 1)) * reshape(right, (n, 1, k)), (n, j * k))
    y = matmul(products, reshape(W, (j * k, size)))
    return y if V1 is None else y + matmul(left, V1) + matmul(right, V2) + b


def _rows(name: str, e: Any) -> Variable:
    require_floating("bilinear", name, e)
    if e.ndim < 2:
        raise InvalidType("bilinear", name, "a batch (N, ...)", describe_array(e))
    return reshape(e, (e.shape[0], math.prod(e.shape[1:])))
