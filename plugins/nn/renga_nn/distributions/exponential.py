"""The exponential distribution, and the Pareto distribution."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_nn.distributions import sampling
from renga_nn.distributions.kl import register_kl
from renga_nn.distributions.numerics import safe_log1p
from renga_nn.distributions.univariate import Univariate
from renga_nn.functions import cast, exp, expm1, log, maximum, where

__all__ = ["Exponential", "Pareto"]


class Exponential(Univariate):
    """The exponential distribution, ``lam exp(-lam x)`` for x ≥ 0.

    Samples can be differentiated with respect to the parameter.

    Args:
        lam: Rates, positive: Variable, array or number.

    Raises:
        InvalidType: `lam` is not floating.

    >>> import numpy as np
    >>> Exponential(np.array([2.0])).mean.array.tolist()
    [0.5]
    """

    def __init__(self, lam: Any) -> None:
        (self.lam,) = self._accept(lam=lam)

    @property
    def support(self) -> str:
        """Numbers from 0 on."""
        return "positive"

    def _outside(self, x: Array) -> Array:
        return x < 0

    def _inside_point(self) -> Any:
        return 1

    def sample_n(self, n: int) -> Variable:
        """Samples for ``lam = 1``, divided by `lam`."""
        return cast(sampling.exponential(self.lam, (n, *self.batch_shape)), self.lam.dtype) / self.lam

    def _log_prob(self, x: Variable) -> Variable:
        return log(self.lam) - self.lam * x

    def cdf(self, x: Any) -> Variable:
        """``1 - exp(-lam x)``."""
        return -expm1(self.log_survival_function(x))

    def survival_function(self, x: Any) -> Variable:
        """``exp(-lam x)``."""
        return exp(self.log_survival_function(x))

    def log_survival_function(self, x: Any) -> Variable:
        """``-lam x``."""
        return -self.lam * maximum(self._points("log_survival_function", x), 0)

    def icdf(self, x: Any) -> Variable:
        """``-log(1 - x) / lam``."""
        return -safe_log1p(-self._levels(x)) / self.lam

    @property
    def mean(self) -> Variable:
        """``1 / lam``."""
        return 1 / self.lam

    @property
    def mode(self) -> Variable:
        """0."""
        return self._constant(0)

    @property
    def variance(self) -> Variable:
        """``1 / lam**2``."""
        return 1 / (self.lam * self.lam)

    @property
    def stddev(self) -> Variable:
        """``1 / lam``."""
        return self.mean

    @property
    def entropy(self) -> Variable:
        """``1 - log(lam)``."""
        return 1 - log(self.lam)


class Pareto(Univariate):
    """The Pareto distribution, ``alpha scale**alpha / x**(alpha + 1)`` for x ≥ `scale`.

    Samples can be differentiated with respect to the parameters.

    Args:
        scale: The smallest values, positive: Variable, array or number.
        alpha: How fast the density decreases, positive.

    Raises:
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> Pareto(np.array([1.0, 1.0]), np.array([3.0, 1.0])).mean.array.tolist()
    [1.5, inf]
    """

    def __init__(self, scale: Any, alpha: Any) -> None:
        self.scale, self.alpha = self._accept(scale=scale, alpha=alpha)

    @property
    def support(self) -> str:
        """Numbers from `scale` on."""
        return "[scale, inf]"

    def _outside(self, x: Array) -> Array:
        return x < self.scale.array

    def _inside_point(self) -> Any:
        return self.scale

    def sample_n(self, n: int) -> Variable:
        """``scale * exp(e / alpha)`` with samples e of the exponential distribution."""
        draws = cast(sampling.exponential(self.scale, (n, *self.batch_shape)), self.scale.dtype)
        return self.scale * exp(draws / self.alpha)

    def _log_prob(self, x: Variable) -> Variable:
        return log(self.alpha) + self.alpha * log(self.scale) - (self.alpha + 1) * log(x)

    def cdf(self, x: Any) -> Variable:
        """``1 - (scale / x)**alpha``."""
        return -expm1(self.log_survival_function(x))

    def survival_function(self, x: Any) -> Variable:
        """``(scale / x)**alpha``."""
        return exp(self.log_survival_function(x))

    def log_survival_function(self, x: Any) -> Variable:
        """``alpha log(scale / x)``."""
        at = self._points("log_survival_function", x)
        below = self._outside(at.array)
        return where(below, 0, self.alpha * (log(self.scale) - log(where(below, self.scale, at))))

    def icdf(self, x: Any) -> Variable:
        """``scale / (1 - x)**(1 / alpha)``."""
        return self.scale * exp(-safe_log1p(-self._levels(x)) / self.alpha)

    @property
    def mean(self) -> Variable:
        """``alpha scale / (alpha - 1)``; infinite for `alpha` up to 1."""
        finite = self.alpha.array > 1
        alpha = where(finite, self.alpha, 2)
        return where(finite, alpha * self.scale / (alpha - 1), float("inf"))

    @property
    def mode(self) -> Variable:
        """`scale`."""
        return self.scale

    @property
    def variance(self) -> Variable:
        """``alpha scale**2 / ((alpha - 1)**2 (alpha - 2))``; infinite for `alpha` up to 2."""
        finite = self.alpha.array > 2
        alpha = where(finite, self.alpha, 3)
        ratio = self.scale / (alpha - 1)
        return where(finite, ratio * ratio * alpha / (alpha - 2), float("inf"))

    @property
    def entropy(self) -> Variable:
        """``log(scale / alpha) + 1 / alpha + 1``."""
        return log(self.scale) - log(self.alpha) + 1 / self.alpha + 1


@register_kl(Exponential, Exponential)
def _exponential(dist1: Exponential, dist2: Exponential) -> Variable:
    return log(dist1.lam) - log(dist2.lam) + dist2.lam / dist1.lam - 1


@register_kl(Pareto, Pareto)
def _pareto(dist1: Pareto, dist2: Pareto) -> Variable:
    ratio = dist2.alpha / dist1.alpha
    finite = dist2.alpha * (log(dist1.scale) - log(dist2.scale)) - log(ratio) + ratio - 1
    return where(dist1.scale.array < dist2.scale.array, float("inf"), finite)
