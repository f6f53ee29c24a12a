"""Negative log-likelihoods, and the divergence from the standard normal distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from renga_nn.functions.activation.softplus import softplus
from renga_nn.functions.checks import require_choice, require_same
from renga_nn.functions.loss.precision import reduced, widened
from renga_nn.functions.math.exponential import exp

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["bernoulli_nll", "gaussian_kl_divergence", "gaussian_nll"]

REDUCTIONS = ("sum", "mean", "no")


def bernoulli_nll(x: Any, y: Any, reduce: str = "sum") -> Variable:
    """``-x log(p) - (1 - x) log(1 - p)`` with ``p = sigmoid(y)``, element by element, and its sum or mean.

    Computed as ``softplus(y) - x y``, which neither overflows nor takes the logarithm of 0.

    Args:
        x: Observed values in [0, 1].
        y: Scores in the same shape and floating dtype.
        reduce: ``"sum"``; ``"mean"`` over all elements; or ``"no"`` for each of them.

    Returns:
        Variable of the dtype of `x`: a scalar, or the shape of `x` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes differ.
        ValueError: `reduce` is invalid.

    >>> import numpy as np
    >>> bernoulli_nll(np.array([1.0, 0.0]), np.array([0.0, 100.0]), reduce="no").array.round(4).tolist()
    [0.6931, 100.0]
    """
    require_choice("bernoulli_nll", "reduce", reduce, REDUCTIONS)
    require_same("bernoulli_nll", "x", x, "y", y)
    seen, scores = widened(x, y)
    return reduced(softplus(scores) - seen * scores, reduce, x.dtype)


def gaussian_nll(x: Any, mean: Any, ln_var: Any, reduce: str = "sum") -> Variable:
    """``((x - mean)**2 / var + log(2 pi var)) / 2`` of normal distributions, element by element, and its sum or mean.

    Args:
        x: Observed values.
        mean: Means of the distributions, in the same shape and floating dtype.
        ln_var: Logarithms of the variances, in the same shape and dtype.
        reduce: ``"sum"``; ``"mean"`` over all elements; or ``"no"`` for each of them.

    Returns:
        Variable of the dtype of `x`: a scalar, or the shape of `x` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes differ.
        ValueError: `reduce` is invalid.

    >>> import numpy as np
    >>> gaussian_nll(np.array([1.0]), np.array([0.0]), np.array([0.0])).array.round(4).tolist()
    1.4189
    """
    require_choice("gaussian_nll", "reduce", reduce, REDUCTIONS)
    require_same("gaussian_nll", "x", x, "mean", mean)
    require_same("gaussian_nll", "x", x, "ln_var", ln_var)
    seen, center, ln_variance = widened(x, mean, ln_var)
    difference = seen - center
    loss = (difference * difference * exp(-ln_variance) + ln_variance + math.log(2 * math.pi)) * 0.5
    return reduced(loss, reduce, x.dtype)


def gaussian_kl_divergence(mean: Any, ln_var: Any, reduce: str = "sum") -> Variable:
    """The KL divergence of normal distributions from the standard normal one (Kingma & Welling 2014, appendix B).

    ``(mean**2 + var - ln_var - 1) / 2``, element by element, and its sum or mean.

    Args:
        mean: Means of the distributions, of any shape and floating dtype.
        ln_var: Logarithms of the variances, in the same shape and dtype.
        reduce: ``"sum"``; ``"mean"`` over all elements; or ``"no"`` for each of them.

    Returns:
        Variable of the dtype of `mean`: a scalar, or the shape of `mean` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes differ.
        ValueError: `reduce` is invalid.

    >>> import numpy as np
    >>> gaussian_kl_divergence(np.array([0.0, 2.0]), np.zeros(2), reduce="no").array.tolist()
    [0.0, 2.0]
    """
    require_choice("gaussian_kl_divergence", "reduce", reduce, REDUCTIONS)
    require_same("gaussian_kl_divergence", "mean", mean, "ln_var", ln_var)
    center, ln_variance = widened(mean, ln_var)
    return reduced((center * center + exp(ln_variance) - ln_variance - 1) * 0.5, reduce, mean.dtype)
