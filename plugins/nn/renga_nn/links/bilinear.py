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
    """A bilinear form of two inputs plus a linear function of both: the tensor layer of Socher et al. (2013).

    ``y[l] = sum_jk e1[j] e2[k] W[j, k, l] + (e1 V1 + e2 V2 + b)[l]``.

    Args:
        left_size, right_size: Number of features of the two inputs; None: from the first inputs.
        out_size: Number of features of the output.
        nobias: Omit the linear function.
        initialW: Initializer of `W`. Default: LeCunNormal.
        initial_bias: Tuple of initializers of `V1`, `V2` and `b`. Default: LeCunNormal, LeCunNormal, 0.

    Raises:
        ValueError: `initial_bias` is something else, or an initializer is an array of another shape than its parameter;
            if sizes are unknown, this is checked at the first call.

    Attributes:
        W: Weights ``(left_size, right_size, out_size)``.
        V1, V2, b: Weights ``(left_size, out_size)`` and ``(right_size, out_size)``, and the bias ``(out_size,)``; None
            with `nobias`.

    >>> import numpy as np
    >>> layer = Bilinear(3, 4, 2)
    >>> layer(np.ones((5, 3), np.float32), np.ones((5, 4), np.float32)).shape
    (5, 2)
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
        shapes = {
            "W": (left_size, right_size, self.out_size),
            "V1": (left_size, self.out_size),
            "V2": (right_size, self.out_size),
            "b": (self.out_size,),
        }
        # In this order they draw random numbers, as in Chainer.
        params = {"W": self.W, "V1": self.V1, "V2": self.V2, "b": self.b}
        for name, param in params.items():
            if param is not None:
                _require_shape(name, param.initializer, shapes[name])
        for name, param in params.items():
            if param is not None:
                param.initialize(shapes[name])


def _require_shape(name: str, initializer: Any, shape: tuple[int, ...]) -> None:
    """Raise an error if the array has another shape, because it would be broadcast unnoticed."""
    given = getattr(getattr(initializer, "fill_value", None), "shape", ())
    if given and tuple(given) != shape:
        raise ValueError(f"Bilinear: the initial {name} has shape {tuple(given)}, and the parameter {shape}")
