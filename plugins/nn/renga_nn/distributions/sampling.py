"""Random numbers in the shape of parameters and on their library, by methods that every backend's generator has.

Half precision is drawn in float32. Rejection sampling is done in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core import random
from renga_core.backend import Array, get_backend

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["exponential", "log_gamma_draws", "normal", "poisson", "require_positive", "uniform"]

Shape = tuple[int, ...]

_FEW = 10.0
"""Up to this mean, Poisson numbers are drawn by adding up probabilities; PTRS is valid from this mean on."""

_STEPS = 64
"""The limit of adding up: at a mean of 10, the probability of larger numbers is below 1e-27."""


def uniform(like: Variable, shape: Shape) -> Array:
    """Uniform numbers in [0, 1)."""
    return _generator(like).random(shape, dtype=_dtype(like))


def normal(like: Variable, shape: Shape) -> Array:
    """Standard normal numbers."""
    return _generator(like).standard_normal(shape, dtype=_dtype(like)).astype(like.dtype, copy=False)


def exponential(like: Variable, shape: Shape) -> Array:
    """Exponential numbers with mean 1."""
    return -like.xp.log1p(-uniform(like, shape))


def log_gamma_draws(k: Variable, n: int) -> Array:
    """Logarithms of samples of the gamma distribution of shape `k` and scale 1, in float64: ``(n, *k.shape)``.

    Logarithms avoid underflow for small `k`. Marsaglia & Tsang (2000), A Simple Method for Generating Gamma Variables:
    a sample for `k` below 1 is a sample for ``k + 1`` times ``u**(1 / k)``.
    """
    generator, xp = _generator(k), k.xp
    shape = (n, *k.shape)
    given = xp.broadcast_to(k.array.astype("float64"), shape).reshape(-1)
    small = given < 1
    d = xp.where(small, given + 1, given) - 1 / 3

    def propose(d: Array) -> tuple[Array, Array]:
        z, e = generator.standard_normal(d.shape), -xp.log1p(-generator.random(d.shape))
        log_v = 3 * xp.log(xp.maximum(1 + z / (3 * xp.sqrt(d)), 1e-30))
        return xp.log(d) + log_v, -e >= z * z / 2 + d * (1 - xp.exp(log_v) + log_v)

    log_draws = _until_accepted(propose, d)
    e = -xp.log1p(-generator.random(given.shape))
    return (log_draws - xp.where(small, e / given, 0.0)).reshape(shape)


def poisson(lam: Variable, n: int) -> Array:
    """Samples of the Poisson distribution of mean `lam`, in float64: ``(n, *lam.shape)``.

    Up to a mean of 10 by adding up probabilities; above by Hörmann (1993), The Transformed Rejection Method for
    Generating Poisson Random Variables, algorithm PTRS.
    """
    xp = lam.xp
    shape = (n, *lam.shape)
    means = xp.broadcast_to(lam.array.astype("float64"), shape).reshape(-1)
    drawn = xp.zeros(means.shape, dtype=means.dtype)
    few = means < _FEW
    for chosen, draw in ((few, _count_up), (~few, _transformed_rejection)):
        if bool(chosen.any()):
            drawn[chosen] = draw(_generator(lam), xp, means[chosen])
    return drawn.reshape(shape)


def _count_up(generator: Any, xp: Any, means: Array) -> Array:
    """The first number up to which the sum of probabilities exceeds a uniform number."""
    level = generator.random(means.shape)
    term = xp.exp(-means)
    total = term.copy()
    number = xp.zeros_like(means)
    for i in range(1, _STEPS):
        beyond = level >= total
        if not bool(beyond.any()):
            break
        number = number + beyond
        term = term * means / i
        total = total + term
    return number


def _transformed_rejection(generator: Any, xp: Any, means: Array) -> Array:
    gammaln = get_backend(means).special("gammaln")

    def propose(mean: Array) -> tuple[Array, Array]:
        b = 0.931 + 2.53 * xp.sqrt(mean)
        a = -0.059 + 0.02483 * b
        u, v = generator.random(mean.shape) - 0.5, 1 - generator.random(mean.shape)
        us = xp.maximum(0.5 - abs(u), 2.0**-54)
        k = xp.floor((2 * a / us + b) * u + mean + 0.43)
        inside = xp.maximum(k, 0.0)
        ratio = xp.log(v) + xp.log(1.1239 + 1.1328 / (b - 3.4)) - xp.log(a / (us * us) + b)
        wanted = inside * xp.log(mean) - mean - gammaln(inside + 1)
        at_once = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        return k, ~at_once & ((k < 0) | ((us < 0.013) & (v > us)) | (ratio > wanted))

    return _until_accepted(propose, means)


def _until_accepted(propose: Callable[[Array], tuple[Array, Array]], parameter: Array) -> Array:
    """Make proposals for each parameter, again for rejected ones, until all are accepted."""
    values, rejected = propose(parameter)
    while bool(rejected.any()):
        values[rejected], again = propose(parameter[rejected])
        still = rejected.copy()
        still[rejected] = again
        rejected = still
    return values


def require_positive(owner: str, name: str, x: Variable, or_zero: bool = False) -> None:
    """Raise an error for a parameter with which no sample would ever be accepted.

    Raises:
        ValueError: The parameter is not positive (or 0, if allowed) and finite everywhere.
    """
    low = x.array >= 0 if or_zero else x.array > 0
    if not bool((low & x.xp.isfinite(x.array)).all()):
        raise ValueError(f"{owner}: to draw samples, {name} must be {'0 or ' * or_zero}positive, and finite")


def _generator(like: Variable) -> Any:
    return random.generator(get_backend(like.array))


def _dtype(like: Variable) -> Any:
    """float64 for float64, float32 for narrower dtypes."""
    return np.promote_types(like.dtype, "float32")
