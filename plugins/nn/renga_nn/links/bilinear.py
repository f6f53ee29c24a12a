"""The bilinear layer."""

from __future__ import annotations

import math
from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.connection import bilinear
from renga_nn.initializers import get_initializer

__all__ = ["Bilinear"]


class Bilinear(Link):
    """A product of two inputs, and a linear function of both: the tensor layer of Socher et al. (2013).

    ``y[l] = sum_jk e1[j] e2[k] W[j, k, l] + (e1 V1 + e2 V2 + b)[l]``.

    Args:
        left_size, right_size: Number of features of the two inputs; None to take it from the first ones.
        out_size: Number of features of the output.
        nobias: Leave the linear function out.
        initialW: Initializer of `W`. Default: LeCunNormal.
        initial_bias: Initializers of `V1`, `V2` and `b`, in a tuple. Default: LeCunNormal, LeCunNormal, 0.

    Raises:
        ValueError: `initial_bias` is something else.

    Attributes:
        W: Weights ``(left_size, right_size, out_size)``.
        V1, V2, b: Weights ``(left_size, out_size)`` and ``(right_size, out_size)``, and the bias ``(out_size,)``; None
            with `nobias`.
    """

    V1: Parameter | None
    V2: Parameter | None
    b: Parameter | None

    def __init__(
        self,
        left_size: int | None,
        right_size: int | None,
        out_size: int,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        self.out_size = out_size
        self.nobias = nobias
        affine = (None, None, 0) if initial_bias is None else initial_bias
        if not isinstance(affine, tuple) or len(affine) != 3:
            raise ValueError(f"Bilinear: initial_bias is {initial_bias!r}; it must be a tuple for V1, V2 and b")
        with self.init_scope():
            self.W = Parameter(get_initializer(initialW))
            V1, V2, b = (None if nobias else Parameter(get_initializer(initializer)) for initializer in affine)
            self.V1, self.V2, self.b = V1, V2, b
        if left_size is not None and right_size is not None:
            self._initialize(left_size, right_size)

    def forward(self, e1: Any, e2: Any) -> Variable:
        """Compute the layer for two batches ``(N, left_size)`` and ``(N, right_size)``."""
        if self.W.array is None:
            self._initialize(math.prod(e1.shape[1:]), math.prod(e2.shape[1:]))
        return bilinear(e1, e2, self.W, self.V1, self.V2, self.b)

    def _initialize(self, left_size: int, right_size: int) -> None:
        self.W.initialize((left_size, right_size, self.out_size))
        if self.V1 is not None and self.V2 is not None and self.b is not None:
            self.V1.initialize((left_size, self.out_size))
            self.V2.initialize((right_size, self.out_size))
            self.b.initialize((self.out_size,))
