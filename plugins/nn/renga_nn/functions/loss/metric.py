"""Losses for metric learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph import InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.activation.relu import relu
from renga_nn.functions.checks import as_number, require_choice, require_same
from renga_nn.functions.loss.distance import length
from renga_nn.functions.loss.precision import reduced, widened

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["contrastive", "triplet"]

REDUCTIONS = ("mean", "no")


def contrastive(x0: Any, x1: Any, y: Any, margin: float = 1, reduce: str = "mean") -> Variable:
    """``(y d**2 + (1 - y) max(margin - d, 0)**2) / 2`` for pairs at distance d (Hadsell et al. 2006).

    Args:
        x0, x1: Variables or arrays ``(N, K)`` of one floating dtype.
        y: Integers or booleans ``(N,)``: 1 for similar pairs, 0 for others.
        margin: The desired distance of different pairs; positive.
        reduce: ``"mean"``, or ``"no"`` for the loss of each pair.

    Returns:
        Variable of the dtype of `x0`: a scalar, or ``(N,)`` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: `margin` is not positive, or `reduce` is invalid.

    >>> import numpy as np
    >>> x0, x1 = np.zeros((2, 2)), np.array([[0.0, 2.0], [0.5, 0.0]])
    >>> contrastive(x0, x1, np.array([1, 0]), reduce="no").array.tolist()
    [2.0, 0.125]
    """
    require_choice("contrastive", "reduce", reduce, REDUCTIONS)
    margin = as_number("contrastive", "margin", margin)
    if not margin > 0:
        raise ValueError(f"contrastive: margin is {margin:g}; it must be positive")
    require_same("contrastive", "x0", x0, "x1", x1)
    _require_rows("contrastive", "x0", x0)
    alike = as_array(y)
    if getattr(alike, "shape", None) != (x0.shape[0],) or alike.dtype.kind not in "biu":
        raise InvalidType("contrastive", "y", f"integers ({x0.shape[0]},)", describe_array(alike))
    first, second = widened(x0, x1)
    difference = first - second
    near = alike.astype(difference.dtype)
    apart = relu(margin - length(difference, 1))
    loss = (sum_of(difference * difference, axis=1) * near + apart * apart * (1 - near)) * 0.5
    return reduced(loss, reduce, x0.dtype)


def triplet(anchor: Any, positive: Any, negative: Any, margin: float = 0.2, reduce: str = "mean") -> Variable:
    """``max(0, |anchor - positive|**2 - |anchor - negative|**2 + margin)`` (Schroff et al. 2015, FaceNet).

    Args:
        anchor, positive, negative: Variables or arrays ``(N, K)`` of one floating dtype; `positive` should be closer to
            `anchor` than `negative`.
        margin: The desired difference of squared distances; positive.
        reduce: ``"mean"``, or ``"no"`` for the loss of each row.

    Returns:
        Variable of the dtype of `anchor`: a scalar, or ``(N,)`` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: `margin` is not positive, or `reduce` is invalid.

    >>> import numpy as np
    >>> anchor, positive, negative = np.zeros((1, 2)), np.array([[1.0, 0.0]]), np.array([[0.0, 0.5]])
    >>> triplet(anchor, positive, negative, margin=0.25).array.tolist()
    1.0
    """
    require_choice("triplet", "reduce", reduce, REDUCTIONS)
    margin = as_number("triplet", "margin", margin)
    if not margin > 0:
        raise ValueError(f"triplet: margin is {margin:g}; it must be positive")
    require_same("triplet", "anchor", anchor, "positive", positive)
    require_same("triplet", "anchor", anchor, "negative", negative)
    _require_rows("triplet", "anchor", anchor)
    center, near, far = widened(anchor, positive, negative)
    to_near, to_far = center - near, center - far
    loss = relu(sum_of(to_near * to_near - to_far * to_far, axis=1) + margin)
    return reduced(loss, reduce, anchor.dtype)


def _require_rows(function: str, argument: str, x: Any) -> None:
    if x.ndim != 2:
        raise InvalidType(function, argument, "a batch of vectors (N, K)", describe_array(x))
