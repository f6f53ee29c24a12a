"""Local response normalization, across channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, is_floating
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast
from renga_nn.functions.checks import as_integer, as_number, require_array, wide

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["local_response_normalization"]


def local_response_normalization(x: Any, n: int = 5, k: float = 2, alpha: float = 1e-4, beta: float = 0.75) -> Variable:
    """Divide each channel by the responses of itself and its neighbours (Krizhevsky et al. 2012, 3.3).

    ``y[:, i] = x[:, i] / (k + alpha * s[:, i]) ** beta``, where ``s[:, i]`` is the sum of the squares of the channels
    from ``i - n // 2`` to ``i + n // 2``.

    Args:
        x: Batch ``(N, C, ...)``.
        n: Number of channels in a sum; an even number counts as the next odd one.
        k, alpha, beta: Parameters of the formula.

    Returns:
        Variable of the shape and dtype of `x`. float16 is computed in float32.

    Raises:
        InvalidType: `x` is not floating, or has no channel axis.
        ValueError: `n` is not positive.

    >>> import numpy as np
    >>> local_response_normalization(np.array([[1.0, 2.0, 3.0]]), n=3, k=1, alpha=1, beta=1).array.round(3).tolist()
    [[0.167, 0.133, 0.214]]
    """
    require_array("local_response_normalization", "x", x)
    if x.ndim < 2 or not is_floating(x.dtype):
        raise InvalidType(
            "local_response_normalization", "x", "at least 2 axes and a floating dtype", describe_array(x)
        )
    n = as_integer("local_response_normalization", "n", n, least=1)
    k, alpha, beta = (
        as_number("local_response_normalization", name, value)
        for name, value in (("k", k), ("alpha", alpha), ("beta", beta))
    )
    return LocalResponseNormalization(n, k, alpha, beta).apply((x,))[0]


def _sum_of_neighbours(x: Array, reach: int) -> Array:
    """The sum of each channel and those at a distance of up to `reach`: one addition for each distance."""
    y = get_array_module(x).copy(x)
    for step in range(1, min(reach, x.shape[1] - 1) + 1):
        y[:, step:] += x[:, :-step]
        y[:, :-step] += x[:, step:]
    return y


class LocalResponseNormalization(FunctionNode):
    """Divide by the responses; keep them."""

    fresh_gradients = True

    def __init__(self, n: int, k: float, alpha: float, beta: float) -> None:
        self.n, self.k, self.alpha, self.beta = n, k, alpha, beta

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Convert half precision to float32."""
        (x,) = inputs
        self.retain_inputs((0,))
        values = wide(x)
        # A NumPy number would change the dtype.
        self._responses = _sum_of_neighbours(values * values, self.n // 2) * self.alpha + self.k
        y = values * self._responses**-self.beta
        return (y.astype(x.dtype, copy=False),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Using the kept responses."""
        (x,), (gy,) = self.saved_inputs, grad_outputs
        values = wide(x)
        direct = wide(gy) * self._responses**-self.beta
        through = _sum_of_neighbours(direct * values / self._responses, self.n // 2)
        gx = direct - values * through * (2.0 * self.alpha * self.beta)
        return (gx.astype(x.dtype, copy=False),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        (x,) = self.get_retained_inputs()
        dtype = np.promote_types(x.dtype, np.float32)
        values, gy = cast(x, dtype), cast(grad_outputs[0], dtype)
        responses = self._summed(values * values) * self.alpha + self.k
        direct = gy * responses**-self.beta
        through = self._summed(direct * values / responses)
        return (cast(direct - values * through * (2.0 * self.alpha * self.beta), x.dtype),)

    def _summed(self, x: Any) -> Any:
        return SumOfNeighbours(self.n // 2).apply((x,))[0]


class SumOfNeighbours(FunctionNode):
    """Add to each channel those at a distance of up to `reach`. It is linear and symmetric, and keeps nothing."""

    fresh_gradients = True

    def __init__(self, reach: int) -> None:
        self.reach = reach

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """One addition for each distance."""
        return (_sum_of_neighbours(inputs[0], self.reach),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradients of the neighbours."""
        return SumOfNeighbours(self.reach).apply(grad_outputs)
