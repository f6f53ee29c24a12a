"""Normalizing vectors to unit length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.graph.operators import cast
from renga_core.graph.operators.axes import normalize_axes
from renga_nn.functions.checks import as_number, require_floating

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["normalize"]


def normalize(x: Any, eps: float = 1e-5, axis: int | Sequence[int] = 1) -> Variable:
    """Divide by the Euclidean norm: ``y = x / (sqrt(sum of x ** 2) + eps)``, with the sum over `axis`.

    Args:
        x: Array of a floating dtype.
        eps: Added to the norm to avoid division by zero.
        axis: Axis, or axes, to take the norm over.

    Returns:
        Variable of the shape and dtype of `x`. float16 is computed in float32. At zero the gradient is that of ``x /
        eps``.

    Raises:
        InvalidType: `x` is not floating.
        ValueError: An axis is out of range or appears twice.

    >>> import numpy as np
    >>> normalize(np.array([[3.0, 4.0], [0.0, 0.0]]), eps=1e-12).array.round(6).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    require_floating("normalize", "x", x)
    axes = normalize_axes("normalize", axis, x.ndim)
    dtype = np.promote_types(x.dtype, np.float32)
    values = cast(x, dtype)
    square = (values * values).sum(axis=axes, keepdims=True)
    # The root has no derivative at zero, but its factor is zero there: use the root of one instead.
    zero = (square.array == 0).astype(dtype)
    norm = (square + zero) ** 0.5 - zero
    return cast(values / (norm + as_number("normalize", "eps", eps)), x.dtype)
