"""Distributions of unlimited integers: geometric and Poisson."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable, as_variable
from renga_nn.distributions import sampling
from renga_nn.distributions.kl import register_kl
from renga_nn.distributions.numerics import safe_log1p, xlog1py, xlogy
from renga_nn.distributions.univariate import Univariate, no_integer
from renga_nn.functions import cast, exp, expm1, floor, lgamma, log, maximum

__all__ = ["Geometric", "Poisson"]


class Geometric(Univariate):
    """The geometric distribution ``p (1 - p)**(k - 1)`` of the number k = 1, 2, … of trials up to the first success.

    Samples are integers in the dtype of `p`, and constants.

    Args:
        p: Probabilities of success, in (0, 1]: Variable, array or number.

    Raises:
        InvalidType: `p` is not floating.

    >>> import numpy as np
    >>> Geometric(np.array([0.25])).mean.array.tolist()
    [4.0]
    """

    def __init__(self, p: Any) -> None:
        (self.p,) = self._accept(p=p)

    @property
    def support(self) -> str:
        """1, 2, …."""
        return "positive integer"

    def _outside(self, x: Array) -> Array:
        return (x < 1) | no_integer(x)

    def _inside_point(self) -> Any:
        return 1

    def sample_n(self, n: int) -> Variable:
        """Samples of the exponential distribution, rounded."""
        rate = -safe_log1p(-self.p).array
        draws = floor(sampling.exponential(self.p, (n, *self.batch_shape)) / rate).array + 1
        return as_variable(cast(draws, self.p.dtype).array)

    def _log_prob(self, x: Variable) -> Variable:
        return xlog1py(x - 1, -self.p) + log(self.p)

    def cdf(self, x: Any) -> Variable:
        """``1 - (1 - p)**floor(x)``."""
        return -expm1(self.log_survival_function(x))

    def survival_function(self, x: Any) -> Variable:
        """``(1 - p)**floor(x)``."""
        return exp(self.log_survival_function(x))

    def log_survival_function(self, x: Any) -> Variable:
        """``floor(x) log(1 - p)``."""
        return xlog1py(floor(maximum(self._points("log_survival_function", x), 0)), -self.p)

    @property
    def mean(self) -> Variable:
        """``1 / p``."""
        return 1 / self.p

    @property
    def mode(self) -> Variable:
        """1."""
        return self._constant(1)

    @property
    def variance(self) -> Variable:
        """``(1 - p) / p**2``."""
        return (1 - self.p) / (self.p * self.p)

    @property
    def entropy(self) -> Variable:
        """``-((1 - p) log(1 - p) + p log(p)) / p``."""
        return -xlog1py(1 - self.p, -self.p) / self.p - log(self.p)


class Poisson(Univariate):
    """The Poisson distribution ``lam**k exp(-lam) / k!`` of the number k = 0, 1, … of events.

    Samples are integers in the dtype of `lam`, and constants.

    Args:
        lam: Means, not negative: Variable, array or number.

    Raises:
        InvalidType: `lam` is not floating.

    >>> import numpy as np
    >>> Poisson(np.array([2.0])).log_prob(np.array([0, 1])).array.round(4).tolist()
    [-2.0, -1.3069]
    """

    def __init__(self, lam: Any) -> None:
        (self.lam,) = self._accept(lam=lam)

    @property
    def support(self) -> str:
        """0, 1, …."""
        return "non negative integer"

    def _outside(self, x: Array) -> Array:
        return (x < 0) | no_integer(x)

    def _inside_point(self) -> Any:
        return 0

    def sample_n(self, n: int) -> Variable:
        """By adding up probabilities, or by rejection (Hörmann 1993).

        Raises:
            ValueError: `lam` is negative or infinite somewhere.
        """
        sampling.require_positive("Poisson", "lam", self.lam, or_zero=True)
        return as_variable(cast(sampling.poisson(self.lam, n), self.lam.dtype).array)

    def _log_prob(self, x: Variable) -> Variable:
        return xlogy(x, self.lam) - self.lam - lgamma(x + 1)

    @property
    def mean(self) -> Variable:
        """`lam`."""
        return self.lam

    @property
    def mode(self) -> Variable:
        """`lam`, rounded down."""
        return floor(self.lam)

    @property
    def variance(self) -> Variable:
        """`lam`."""
        return self.lam


@register_kl(Geometric, Geometric)
def _geometric(dist1: Geometric, dist2: Geometric) -> Variable:
    p1, p2 = dist1.p, dist2.p
    failures = 1 - p1
    return (xlog1py(failures, -p1) - xlog1py(failures, -p2)) / p1 + log(p1) - log(p2)


@register_kl(Poisson, Poisson)
def _poisson(dist1: Poisson, dist2: Poisson) -> Variable:
    return xlogy(dist1.lam, dist1.lam) - xlogy(dist1.lam, dist2.lam) - dist1.lam + dist2.lam
