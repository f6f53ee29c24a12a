"""Layer normalization with its scale and shift."""

from __future__ import annotations

from typing import Any

from renga_core.graph import InvalidType, Parameter, Variable
from renga_core.graph.errors import describe_array
from renga_core.link import Link
from renga_nn.functions.normalization import layer_normalization
from renga_nn.initializers import get_initializer

__all__ = ["LayerNormalization"]


class LayerNormalization(Link):
    """Normalize each row over its units (Ba et al. 2016); then scale and shift each unit.

    Args:
        size: Number of units; None: from the first input.
        eps: Added to the variance.
        initial_gamma, initial_beta: Initializers of scale and shift. Default: 1 and 0.

    Attributes:
        gamma, beta: Scale and shift ``(size,)``.

    >>> import numpy as np
    >>> LayerNormalization(3)(np.array([[1.0, 2.0, 3.0]], np.float32)).array[0, 1].item()
    0.0
    """

    def __init__(
        self, size: int | None = None, eps: float = 1e-6, initial_gamma: Any = None, initial_beta: Any = None
    ) -> None:
        super().__init__()
        self.eps = eps
        with self.init_scope():
            self.gamma = Parameter(get_initializer(1 if initial_gamma is None else initial_gamma))
            self.beta = Parameter(get_initializer(0 if initial_beta is None else initial_beta))
        if size is not None:
            self._initialize(size)

    def forward(self, x: Any) -> Variable:
        """Normalize rows ``(..., size)``."""
        if self.gamma.array is None:
            if x.ndim < 1:
                raise InvalidType("LayerNormalization", "x", "at least 1 axis (..., size)", describe_array(x))
            self._initialize(x.shape[-1])
        return layer_normalization(x, self.gamma, self.beta, self.eps)

    def _initialize(self, size: int) -> None:
        self.gamma.initialize((size,))
        self.beta.initialize((size,))
