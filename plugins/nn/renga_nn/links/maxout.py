"""The fully connected maxout layer."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.activation import maxout
from renga_nn.initializers import Initializer
from renga_nn.links.linear import Linear

__all__ = ["Maxout"]


class Maxout(Chain):
    """``y[i] = max_j (W[i, j] x + b[i, j])``: the largest of several linear functions (Goodfellow et al. 2013).

    Args:
        in_size: Number of input features; None: from the first input.
        out_size: Number of output features.
        pool_size: Number of linear functions per output feature.
        initialW: Initializer of the weights, in the shape ``(out_size, pool_size, in_size)``. Default: LeCunNormal.
        initial_bias: Initializer of the bias, in the shape ``(out_size, pool_size)``. None: no bias.

    Attributes:
        linear: The `Linear` that computes all linear functions.

    Raises:
        ValueError: An array with another number of axes is given.

    >>> import numpy as np
    >>> Maxout(3, 2, pool_size=4)(np.ones((5, 3), np.float32)).shape
    (5, 2)
    """

    def __init__(
        self, in_size: int | None, out_size: int, pool_size: int, initialW: Any = None, initial_bias: Any = 0
    ) -> None:
        super().__init__()
        self.out_size = out_size
        self.pool_size = pool_size
        rows = out_size * pool_size
        pools = (out_size, pool_size)
        weights, bias = _in_pools("initialW", initialW, pools, 3), _in_pools("initial_bias", initial_bias, pools, 2)
        with self.init_scope():
            self.linear = Linear(in_size, rows, initial_bias is None, weights, bias)

    def forward(self, x: Any) -> Variable:
        """Compute the layer for a batch ``(N, in_size)``."""
        return maxout(self.linear(x), self.pool_size)


def _in_pools(name: str, initializer: Any, pools: tuple[int, int], ndim: int) -> Any:
    """An initializer for the concatenated rows of all pools, from one for the shape with pools first."""
    if getattr(initializer, "shape", ()):
        if initializer.ndim != ndim:
            raise ValueError(f"Maxout: {name}.ndim should be {ndim}; its shape is {initializer.shape}")
        return initializer.reshape(pools[0] * pools[1], *initializer.shape[2:])
    if not callable(initializer) or isinstance(initializer, Initializer):
        return initializer

    def fill(array: Array) -> None:
        initializer(array.reshape(*pools, *array.shape[1:]))

    return fill
