"""Activation functions with a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.activation import prelu, swish
from renga_nn.initializers import get_initializer

__all__ = ["PReLU", "Swish"]


class PReLU(Link):
    """``x`` where positive, elsewhere ``W * x`` (He et al. 2015).

    Args:
        shape: Shape of the slopes: that of the first axes of the input after the batch's; ``()`` for one slope.
        init: Initializer of the slopes.

    Attributes:
        W: The slopes.

    >>> import numpy as np
    >>> PReLU()(np.array([-4.0, 4.0], np.float32)).array.tolist()
    [-1.0, 4.0]
    """

    def __init__(self, shape: int | Sequence[int] = (), init: Any = 0.25) -> None:
        super().__init__()
        with self.init_scope():
            self.W = Parameter(get_initializer(init), shape)

    def forward(self, x: Any) -> Variable:
        """Apply it to a batch ``(N, *shape, ...)``."""
        return prelu(x, self.W)


class Swish(Link):
    """``x * sigmoid(beta * x)`` (Ramachandran, Zoph & Le 2017).

    Args:
        beta_shape: Shape of beta: that of the first axes of the input after the batch's, ``()`` for one number; None
            for a number for each unit of the first input.
        beta_init: Initializer of beta.

    Attributes:
        beta: How sharp the bend is.

    >>> import numpy as np
    >>> Swish(beta_shape=(3,))(np.zeros((2, 3), np.float32)).array.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

    def __init__(self, beta_shape: int | Sequence[int] | None, beta_init: Any = 1.0) -> None:
        super().__init__()
        with self.init_scope():
            self.beta = Parameter(get_initializer(beta_init), beta_shape)

    def forward(self, x: Any) -> Variable:
        """Apply it to a batch ``(N, ...)``."""
        if self.beta.array is None:
            self.beta.initialize(x.shape[1:])
        return swish(x, self.beta)
