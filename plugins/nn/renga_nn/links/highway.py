"""The highway layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.graph import Variable, as_variable
from renga_core.link import Chain
from renga_nn.functions.activation import relu, sigmoid
from renga_nn.links.linear import Linear

__all__ = ["Highway"]


class Highway(Chain):
    """A gated mixture of a layer and its input: ``y = t activate(plain(x)) + (1 - t) x`` (Srivastava et al. 2015).

    The gate is ``t = sigmoid(transform(x))``. Its initial bias nearly closes it, so that deep networks start close to
    the identity.

    Args:
        in_out_size: Number of features of input and output.
        nobias: Omit the biases.
        activate: The activation function.
        init_Wh, init_bh: Initializers of weights and bias of `plain`. Default: LeCunNormal and zero.
        init_Wt, init_bt: Initializers of weights and bias of `transform`. Default: LeCunNormal and -1.

    Attributes:
        plain, transform: `Linear` layers.

    >>> import numpy as np
    >>> Highway(3)(np.ones((5, 3), np.float32)).shape
    (5, 3)
    """

    def __init__(
        self,
        in_out_size: int,
        nobias: bool = False,
        activate: Callable[[Any], Variable] = relu,
        init_Wh: Any = None,
        init_Wt: Any = None,
        init_bh: Any = None,
        init_bt: Any = -1,
    ) -> None:
        super().__init__()
        self.activate = activate
        with self.init_scope():
            self.plain = Linear(in_out_size, in_out_size, nobias, init_Wh, init_bh)
            self.transform = Linear(in_out_size, in_out_size, nobias, init_Wt, init_bt)

    def forward(self, x: Any) -> Variable:
        """Compute the layer for a batch ``(N, in_out_size)``."""
        variable = as_variable(x)
        gate = sigmoid(self.transform(variable))
        return gate * self.activate(self.plain(variable)) + (1 - gate) * variable
