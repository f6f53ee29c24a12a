"""Swish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import multiply, reshape
from renga_nn.functions.activation.sigmoid import sigmoid
from renga_nn.functions.checks import require_floating

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["swish"]


def swish(x: Any, beta: Any) -> Variable:
    """``x * sigmoid(beta * x)``, element by element (Ramachandran, Zoph & Le 2017).

    Args:
        x: Variable or array ``(N, ...)`` with a floating dtype.
        beta: A number; or a Variable or array. Its shape equals the first axes of `x` after the batch axis, for example
            one number per channel, or broadcasts with `x`. Gradients flow to it too.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: `x` is not floating, or the shapes do not fit.

    >>> import numpy as np
    >>> swish(np.array([[0.0, 100.0]]), 1.0).array.tolist()
    [[0.0, 100.0]]
    """
    require_floating("swish", "x", x)
    ndim = getattr(beta, "ndim", 0)
    if ndim and tuple(beta.shape) == tuple(x.shape[1 : 1 + ndim]):
        beta = reshape(beta, (1, *beta.shape, *[1] * (x.ndim - 1 - ndim)))
    try:
        scaled = multiply(x, beta)
    except InvalidType as error:
        expected = f"a shape that fits axes of x from 1 on, or broadcasts with x: {describe_array(x)}"
        raise InvalidType("swish", "beta", expected, describe_array(beta)) from error
    return multiply(x, sigmoid(scaled))
