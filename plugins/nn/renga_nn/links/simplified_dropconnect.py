"""The fully connected layer with simplified DropConnect."""

from __future__ import annotations

import math
from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.noise import simplified_dropconnect
from renga_nn.initializers import get_initializer
from renga_nn.links.bias import bias

__all__ = ["SimplifiedDropconnect"]


class SimplifiedDropconnect(Link):
    """A `Linear` that sets random weights to 0 in training (Wan et al. 2013).

    Args:
        in_size: Number of input features; None: from the first input.
        out_size: Number of output features.
        ratio: Probability to drop a weight.
        nobias: Omit the bias.
        initialW: Initializer of `W`. Default: LeCunNormal.
        initial_bias: Initializer of `b`. Default: zero.

    Attributes:
        W: Weights ``(out_size, in_size)``.
        b: Bias ``(out_size,)``, or None.

    >>> import numpy as np
    >>> SimplifiedDropconnect(3, 2)(np.ones((5, 3), np.float32)).shape
    (5, 2)
    """

    b: Parameter | None

    def __init__(
        self,
        in_size: int | None,
        out_size: int,
        ratio: float = 0.5,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        self.out_size = out_size
        self.ratio = ratio
        with self.init_scope():
            self.W = Parameter(get_initializer(initialW), None if in_size is None else (out_size, in_size))
            self.b = None if nobias else bias(initial_bias, out_size)

    def forward(self, x: Any, train: bool = True, mask: Any = None, use_batchwise_mask: bool = True) -> Variable:
        """Compute the layer for a batch ``(N, ...)``; arguments as for `renga.functions.simplified_dropconnect`."""
        if self.W.array is None:
            self.W.initialize((self.out_size, math.prod(x.shape[1:])))
        return simplified_dropconnect(x, self.W, self.b, self.ratio, train, mask, use_batchwise_mask)
