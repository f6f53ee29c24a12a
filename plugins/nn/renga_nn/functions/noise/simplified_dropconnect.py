"""Simplified DropConnect: random weights are set to 0 in training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from renga_core import random
from renga_core.backend import Array, get_backend, same_dtype
from renga_core.configuration import config
from renga_core.graph import InvalidType, as_array, as_variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import matmul, reshape
from renga_nn.functions.array.cast import cast
from renga_nn.functions.checks import as_number, require_floating
from renga_nn.functions.connection.linear import linear

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["simplified_dropconnect"]


def simplified_dropconnect(
    x: Any,
    W: Any,
    b: Any = None,
    ratio: float = 0.5,
    train: bool = True,
    mask: Any = None,
    use_batchwise_mask: bool = True,
) -> Variable:
    """`linear` with random weights set to 0 in training, and the others scaled up (Wan et al. 2013).

    Weights are kept with probability ``1 - ratio`` and divided by it. The simplification: test mode uses the mean of
    the weights; the paper draws from a normal distribution before the activation.

    Args:
        x: Batch ``(N, ...)`` of a floating dtype. Axes after the first are flattened.
        W: Weights ``(O, I)`` of a floating dtype, where ``I`` is the product of the sizes of those axes.
        b: Bias ``(O,)``, or None.
        ratio: Probability to drop a weight, in [0, 1).
        train: Drop weights (if ``config.train`` is also True); otherwise compute `linear`.
        mask: 1 or True for weights to keep, of any dtype: ``(N, O, I)``, or ``(O, I)``; None: draw it.
        use_batchwise_mask: Draw a mask for each row of the batch; otherwise one for all.

    Returns:
        Variable ``(N, O)`` in the dtype of `x`.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.
        ValueError: `ratio` is out of range, or `x` has no feature axis.

    >>> import numpy as np
    >>> x, W = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    >>> simplified_dropconnect(x, W, mask=np.array([[[1, 0]]])).array.tolist()
    [[6.0]]
    """
    ratio = as_number("simplified_dropconnect", "ratio", ratio)
    if not 0 <= ratio < 1:
        raise ValueError(f"simplified_dropconnect: ratio is {ratio:g}; it must be in [0, 1)")
    require_floating("simplified_dropconnect", "x", x)
    require_floating("simplified_dropconnect", "W", W)
    if not (train and config.train):
        return linear(x, W, b)
    n, features = x.shape[0] if x.ndim else 0, math.prod(x.shape[1:])
    if x.ndim < 2 or W.ndim != 2 or W.shape[1] != features:
        fits = f"shape (O, I), with I features as x: {describe_array(x)}"
        raise InvalidType("simplified_dropconnect", "W", fits, describe_array(W))
    if b is not None and (tuple(getattr(b, "shape", ())) != tuple(W.shape[:1]) or not same_dtype(b, x)):
        raise InvalidType("simplified_dropconnect", "b", f"{x.dtype} ({W.shape[0]},)", describe_array(b))
    shape = (n, *W.shape) if use_batchwise_mask else tuple(W.shape)
    kept = _draw(W, shape, ratio) if mask is None else as_array(mask)
    if tuple(getattr(kept, "shape", ())) != shape:
        raise InvalidType("simplified_dropconnect", "mask", f"shape {shape}", describe_array(kept))
    factors = kept.astype(W.dtype)
    factors *= 1 / (1 - ratio)
    weights = as_variable(W) * factors
    if not use_batchwise_mask:
        return linear(x, weights, b)
    y = reshape(matmul(weights, reshape(x, (n, features, 1))), (n, W.shape[0]))
    return cast(y if b is None else y + b, x.dtype)


def _draw(W: Any, shape: tuple[int, ...], ratio: float) -> Array:
    backend = get_backend(getattr(W, "array", W))
    return random.generator(backend).random(shape, dtype=backend.xp.float32) >= ratio
