"""Group normalization with its scale and shift."""

from __future__ import annotations

from typing import Any

from renga_core.configuration import config
from renga_core.graph import InvalidType, Parameter, Variable
from renga_core.graph.errors import describe_array
from renga_core.link import Link
from renga_nn.functions.normalization import group_normalization
from renga_nn.initializers import get_initializer
from renga_nn.initializers.lookup import with_dtype

__all__ = ["GroupNormalization"]


class GroupNormalization(Link):
    """Normalize each group of channels of each example (Wu & He 2018); then scale and shift each channel.

    Args:
        groups: Number of groups; it divides the channels. One channel per group: instance normalization.
        size: Number of channels; None: from the first input.
        eps: Added to the variance.
        initial_gamma, initial_beta: Initializers of scale and shift. Default: 1 and 0. Without their own dtype, it is
            the value of ``config.dtype`` when the link is made.

    Attributes:
        gamma, beta: Scale and shift ``(size,)``.

    >>> import numpy as np
    >>> GroupNormalization(2, 4)(np.ones((1, 4, 8, 8), np.float32)).shape
    (1, 4, 8, 8)
    """

    def __init__(
        self,
        groups: int,
        size: int | None = None,
        eps: float = 1e-5,
        initial_gamma: Any = None,
        initial_beta: Any = None,
    ) -> None:
        super().__init__()
        self.groups = groups
        self.eps = eps
        with self.init_scope():
            gamma = get_initializer(1 if initial_gamma is None else initial_gamma)
            beta = get_initializer(0 if initial_beta is None else initial_beta)
            self.gamma = Parameter(with_dtype(gamma, config.dtype))
            self.beta = Parameter(with_dtype(beta, config.dtype))
        if size is not None:
            self._initialize(size)

    def forward(self, x: Any) -> Variable:
        """Normalize a batch ``(N, size, ...)``."""
        if self.gamma.array is None:
            if x.ndim < 2:
                raise InvalidType("GroupNormalization", "x", "at least 2 axes (N, size, ...)", describe_array(x))
            self._initialize(x.shape[1])
        return group_normalization(x, self.groups, self.gamma, self.beta, self.eps)

    def _initialize(self, size: int) -> None:
        self.gamma.initialize((size,))
        self.beta.initialize((size,))
