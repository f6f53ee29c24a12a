"""Local response normalization, across channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, is_floating
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast
from renga_nn.functions.checks import require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["local_response_normalization"]


def local_response_normalization(x: Any, n: int = 5, k: float = 2, alpha: float = 1e-4, beta: float = 0.75) -> Variable:
    """Divide each channel by what it and its neighbours respond with (Krizhevsky et al. 2012, 3.3).

    ``y[:, i] = x[:, i] / (k + alpha * s[:, i]) ** beta``, where ``s[:, i]`` is the sum of the squares of the channels
    from ``i - n // 2`` to ``i + n // 2``.

    Args:
        x: Batch ``(N, C, ...)``.
        n: Number of channels in a sum; an even one counts as the next odd one.
        k, alpha, beta: As above.

    Returns:
        Variable of the shape and dtype of `x`. float16 is computed in float32.

    Raises:
        InvalidType: `x` is not floating, or has no axis of channels.
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
    if n < 1:
        raise ValueError(f"local_response_normalization: n must be at least 1, not {n}")
    values = cast(x, np.promote_types(x.dtype, np.float32))
    responses = SumOfNeighbours(n // 2).apply((values * values,))[0]
    return cast(values * (responses * alpha + k) ** -beta, x.dtype)


class SumOfNeighbours(FunctionNode):
    """Add to each channel those at a distance of up to `reach`. It is linear, symmetric, and keeps nothing."""

    fresh_gradients = True

    def __init__(self, reach: int) -> None:
        self.reach = reach

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """One addition for each distance."""
        (x,) = inputs
        y = get_array_module(x).copy(x)
        for step in range(1, min(self.reach, x.shape[1] - 1) + 1):
            y[:, step:] += x[:, :-step]
            y[:, :-step] += x[:, step:]
        return (y,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradients of the neighbours."""
        return SumOfNeighbours(self.reach).apply(grad_outputs)
