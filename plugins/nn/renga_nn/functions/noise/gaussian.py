"""Differentiable samples of a normal distribution."""

from __future__ import annotations

from typing import Any, Literal, overload

from renga_core import random
from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import InvalidType, Variable
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import require_array, require_same
from renga_nn.functions.math import exp

__all__ = ["gaussian"]


@overload
def gaussian(mean: Any, ln_var: Any, *, eps: Array | None = None, return_eps: Literal[False] = False) -> Variable: ...
@overload
def gaussian(
    mean: Any, ln_var: Any, *, eps: Array | None = None, return_eps: Literal[True]
) -> tuple[Variable, Array]: ...
def gaussian(
    mean: Any, ln_var: Any, *, eps: Array | None = None, return_eps: bool = False
) -> Variable | tuple[Variable, Array]:
    """Draw samples of a normal distribution: ``mean + exp(ln_var / 2) * eps`` (Kingma & Welling 2014, section 2.4).

    Args:
        mean: Means: Variable or array of any shape and floating dtype.
        ln_var: Logarithms of the variances, in the same shape and dtype.
        eps: Samples of the standard normal distribution in this shape; None: draw them.
        return_eps: Also return `eps`.

    Returns:
        Variable of the shape and dtype of `mean`.

    Raises:
        InvalidType: Shapes or dtypes differ.

    >>> import numpy as np
    >>> gaussian(np.array([1.0]), np.array([0.0]), eps=np.array([2.0])).array.tolist()
    [3.0]
    """
    require_same("gaussian", "mean", mean, "ln_var", ln_var)
    if eps is None:
        generator = random.generator(get_backend(getattr(mean, "array", mean)))
        eps = generator.standard_normal(mean.shape).astype(mean.dtype)
    else:
        require_array("gaussian", "eps", eps)
        if eps.shape != mean.shape or not same_dtype(eps, mean):
            expected = f"the shape and dtype of mean: {describe_array(mean)}"
            raise InvalidType("gaussian", "eps", expected, describe_array(eps))
    y = exp(ln_var * 0.5) * eps + mean
    return (y, eps) if return_eps else y
