"""The fully connected layer."""

from __future__ import annotations

import math
from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.connection import linear, linear_relu
from renga_nn.initializers import get_initializer
from renga_nn.links.bias import bias, bias_given

__all__ = ["Linear"]


class Linear(Link):
    """Multiply by a matrix and add a bias: ``y = x W^T + b``.

    Args:
        in_size: Number of input features; None: from the first input.
        out_size: Number of output features. ``Linear(n)`` is short for ``Linear(None, n)``.
        nobias: Omit the bias.
        initialW: Initializer of `W`; see `renga.initializers`. Default: LeCunNormal.
        initial_bias: Initializer of `b`. Default: zero.

    Attributes:
        W: Weights ``(out_size, in_size)``.
        b: Bias ``(out_size,)``, or None.

    >>> import numpy as np
    >>> layer = Linear(3, 2)
    >>> layer(np.ones((4, 3), np.float32)).shape
    (4, 2)
    """

    b: Parameter | None

    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        if out_size is None:
            in_size, out_size = None, in_size
        if out_size is None:
            raise TypeError("Linear needs the number of its output features: Linear(n) or Linear(None, n)")
        self.in_size = in_size
        self.out_size = out_size
        with self.init_scope():
            self.W = Parameter(get_initializer(initialW), None if in_size is None else (out_size, in_size))
            self.b = None if nobias else bias(initial_bias, out_size)

    @classmethod
    def from_params(cls, W: Any, b: Any = None, nobias: bool = False) -> Linear:
        """Make a layer with these weights.

        Args:
            W: Array or Variable ``(out_size, in_size)``.
            b: Array or Variable ``(out_size,)``; None for zeros.
            nobias: Omit the bias.

        Raises:
            ValueError: `b` is given although `nobias` is set.
        """
        out_size, in_size = W.shape
        return cls(in_size, out_size, nobias, getattr(W, "array", W), bias_given("Linear", b, nobias))

    def forward(self, x: Any, n_batch_axes: int = 1, *, relu: bool = False) -> Variable:
        """Compute the layer.

        Args:
            x: Batch ``(*batch, *features)``; all axes after the first `n_batch_axes` are flattened.
            n_batch_axes: Number of axes of the batch.
            relu: Return ``relu(y)``, in fewer passes over memory than two functions.
        """
        if self.W.array is None:
            self.in_size = math.prod(x.shape[n_batch_axes:])
            self.W.initialize((self.out_size, self.in_size))
        return (linear_relu if relu else linear)(x, self.W, self.b, n_batch_axes)
