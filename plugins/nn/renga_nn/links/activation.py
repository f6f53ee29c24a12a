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
    """Parametric ReLU: ``x`` if x ≥ 0, otherwise ``W * x`` (He et al. 2015).

    Args:
        shape: Shape of the slopes: the first axes of the input after the batch axis; ``()`` for one slope.
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
        """Apply PReLU to a batch ``(N, *shape, ...)``."""
        return prelu(x, self.W)


class Swish(Link):
    """``x * sigmoid(beta * x)`` (Ramachandran, Zoph & Le 2017).

    Args:
        beta_shape: Shape of beta: the first axes of the input after the batch axis; ``()`` for one number; None: one
            number per unit of the first input.
        beta_init: Initializer of beta.

    Attributes:
        beta: Sharpness of the function.

    >>> import numpy as np
    >>> Swish(beta_shape=(3,))(np.zeros((2, 3), np.float32)).array.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

    def __init__(self, beta_shape: int | Sequence[int] | None, beta_init: Any = 1.0) -> None:
        super().__init__()
        with self.init_scope():
            self.beta = Parameter(get_initializer(beta_init), beta_shape)

    def forward(self, x: Any) -> Variable:
        """Apply Swish to a batch ``(N, ...)``."""
        if self.beta.array is None:
            self.beta.initialize(x.shape[1:])
        return swish(x, self.beta)
