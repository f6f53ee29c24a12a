"""The hinge loss of support vector machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import get_array_module
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.activation import relu
from renga_nn.functions.checks import labels_of, require_choice, require_floating, require_labels_in_range

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["hinge"]


def hinge(x: Any, t: Any, norm: str = "L1", reduce: str = "mean") -> Variable:
    """``max(0, 1 - d x)``, or its square, for each class; d is 1 for the correct class, -1 for the others.

    Args:
        x: Scores ``(N, classes)`` of a floating dtype.
        t: Classes ``(N,)``, integers from 0.
        norm: ``"L1"``, or ``"L2"`` for squares.
        reduce: ``"mean"``: the sum over classes, and the mean over the batch; or ``"no"`` for each element.

    Returns:
        Variable of the dtype of `x`: a scalar, or the shape of `x` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: A label is not a class, or `norm` or `reduce` is invalid.

    >>> import numpy as np
    >>> hinge(np.array([[2.0, -0.5]]), np.array([0]), reduce="no").array.tolist()
    [[0.0, 0.5]]
    """
    require_choice("hinge", "norm", norm, ("L1", "L2"))
    require_choice("hinge", "reduce", reduce, ("mean", "no"))
    require_floating("hinge", "x", x)
    if x.ndim != 2:
        raise InvalidType("hinge", "x", "scores (N, classes)", describe_array(x))
    labels = labels_of("hinge", x, t)
    require_labels_in_range("hinge", labels, x.shape[1])
    xp = get_array_module(x)
    direction = xp.full(x.shape, -1, dtype=x.dtype)
    direction[xp.arange(x.shape[0]), labels] = 1
    loss = relu(1 - x * direction)
    if norm == "L2":
        loss = loss * loss
    return loss if reduce == "no" else sum_of(loss) / max(1, x.shape[0])
