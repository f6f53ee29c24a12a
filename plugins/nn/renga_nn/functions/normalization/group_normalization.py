"""Group normalization, with instance normalization as a special case."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import get_array_module, is_floating
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast, reshape
from renga_nn.functions.checks import as_integer, as_number, require_array
from renga_nn.functions.normalization.batch_normalization import BatchNormalization

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["group_normalization"]


def group_normalization(x: Any, groups: int, gamma: Any, beta: Any, eps: float = 1e-5) -> Variable:
    """Normalize each group of channels of each example to mean 0 and variance 1; scale and shift the channels.

    ``y = gamma * (x - mean) / sqrt(var + eps) + beta``, with mean and (biased) variance over the channels of a group
    and all later axes (Wu & He 2018, section 3). With one channel per group it is instance normalization (Ulyanov et
    al. 2016).

    Args:
        x: Batch ``(N, C, ...)``.
        groups: Number of groups; it divides C.
        gamma, beta: Scale and shift of each channel, ``(C,)``.
        eps: Added to the variance to avoid division by zero.

    Returns:
        Variable of the shape and dtype of `x`. Statistics of float16 are computed in float32.

    Raises:
        InvalidType: Shapes or dtypes do not fit together, or a group has no elements.
        ValueError: `groups` does not divide the channels.

    >>> import numpy as np
    >>> x = np.array([[[1.0], [3.0], [5.0], [5.0]]])
    >>> group_normalization(x, 2, np.ones(4), np.zeros(4), eps=0.25).array.reshape(4).round(3).tolist()
    [-0.894, 0.894, 0.0, 0.0]
    """
    for name, value in (("x", x), ("gamma", gamma), ("beta", beta)):
        require_array("group_normalization", name, value)
    if x.ndim < 2 or not is_floating(x.dtype) or 0 in x.shape[1:]:
        expected = "at least 2 axes, all but the first of some size, and a floating dtype"
        raise InvalidType("group_normalization", "x", expected, describe_array(x))
    n, channels = x.shape[:2]
    for name, value in (("gamma", gamma), ("beta", beta)):
        if tuple(value.shape) != (channels,) or not is_floating(value.dtype):
            raise InvalidType("group_normalization", name, f"floating, of shape ({channels},)", describe_array(value))
    groups = as_integer("group_normalization", "groups", groups)
    eps = as_number("group_normalization", "eps", eps)
    if groups < 1 or channels % groups:
        raise ValueError(f"group_normalization: groups={groups} does not divide the channels of x: {describe_array(x)}")
    # Batch normalization sees each group of each example as a separate channel.
    xp, rows = get_array_module(x), n * groups
    one = xp.full((rows,), 1.0, dtype=np.promote_types(x.dtype, np.float32))
    grouped = reshape(x, (rows, math.prod(x.shape[1:]) // groups))
    normalized = reshape(BatchNormalization(eps, (1,)).apply((grouped, one, xp.zeros_like(one)))[0], x.shape)
    last = (channels, *(1,) * (x.ndim - 2))
    return cast(normalized * reshape(gamma, last) + reshape(beta, last), x.dtype)
