"""Swish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph.operators import multiply
from renga_nn.functions.activation.sigmoid import sigmoid

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["swish"]


def swish(x: Any, beta: Any) -> Variable:
    """``x * sigmoid(beta * x)``, element by element (Ramachandran, Zoph & Le 2017).

    Args:
        x: Variable or array ``(N, ...)`` with a floating dtype.
        beta: A number, or a Variable or array that broadcasts with `x`, usually one number for each unit; gradients
            flow to it too.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: `x` is not floating, or the shapes do not fit.

    >>> import numpy as np
    >>> swish(np.array([[0.0, 100.0]]), 1.0).array.tolist()
    [[0.0, 100.0]]
    """
    return multiply(x, sigmoid(multiply(x, beta)))
