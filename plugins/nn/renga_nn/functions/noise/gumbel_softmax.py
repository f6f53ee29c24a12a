"""Differentiable samples of a categorical distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core import random
from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_nn.functions.activation import softmax
from renga_nn.functions.array import cast
from renga_nn.functions.checks import as_number, normalize_axis, require_floating

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["gumbel_softmax"]


def gumbel_softmax(log_pi: Any, tau: float = 0.1, axis: int = 1, *, noise: Array | None = None) -> Variable:
    """Draw relaxed one-hot samples: ``softmax((log_pi + noise) / tau)``, with Gumbel noise.

    The smaller `tau`, the closer a sample is to a one-hot vector (Jang et al. 2017, Maddison et al. 2017).

    Args:
        log_pi: Logarithms of probabilities, which need not add up to 1, in a floating dtype.
        tau: Temperature, positive.
        axis: The axis of the choices.
        noise: Samples of the standard Gumbel distribution in the shape and dtype of `log_pi`; None: draw them.

    Returns:
        Variable of the shape and dtype of `log_pi`: nonnegative numbers that add up to 1 along the axis.

    Raises:
        InvalidType: `log_pi` is not floating, or `noise` has another shape or dtype.
        ValueError: `tau` is not positive, or there is no such axis.

    >>> import numpy as np
    >>> y = gumbel_softmax(np.log(np.array([[0.2, 0.8]])), noise=np.zeros((1, 2)))
    >>> y.array.round(4).tolist()
    [[0.0, 1.0]]
    """
    require_floating("gumbel_softmax", "log_pi", log_pi)
    tau = as_number("gumbel_softmax", "tau", tau)
    if not tau > 0:
        raise ValueError(f"gumbel_softmax: tau is {tau:g}; it must be positive")
    number = normalize_axis("gumbel_softmax", axis, log_pi.ndim)
    if noise is None:
        noise = _draw(log_pi)
    elif getattr(noise, "shape", None) != log_pi.shape or not same_dtype(noise, log_pi):
        expected = f"the shape and dtype of log_pi: {describe_array(log_pi)}"
        raise InvalidType("gumbel_softmax", "noise", expected, describe_array(noise))
    # Adding a Python number may not preserve bfloat16.
    return cast(softmax((as_variable(log_pi) + noise) / tau, number), log_pi.dtype)


def _draw(like: Any) -> Array:
    """``-log(-log(1 - u))`` for uniform u. The smallest u is 1e-30, because 0 would give infinity."""
    backend = get_backend(getattr(like, "array", like))
    xp = backend.xp
    uniform = xp.maximum(random.generator(backend).random(like.shape, dtype=xp.float32), 1e-30)
    return (-xp.log(-xp.log1p(-uniform))).astype(like.dtype, copy=False)
