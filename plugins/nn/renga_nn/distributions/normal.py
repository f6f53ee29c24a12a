"""The normal distribution, and the log-normal distribution."""

from __future__ import annotations

import math
from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable, as_variable
from renga_nn.distributions import sampling
from renga_nn.distributions.arguments import one_of
from renga_nn.distributions.kl import kl_divergence, register_kl
from renga_nn.distributions.univariate import Univariate
from renga_nn.functions import exp, expm1, log, log_ndtr, ndtr, ndtri, where

__all__ = ["LogNormal", "Normal"]

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


class Normal(Univariate):
    """The normal distribution, ``exp(-((x - loc) / scale)**2 / 2) / (scale √(2π))``.

    Samples can be differentiated with respect to the parameters.

    Args:
        loc: Means: Variable, array or number.
        scale: Standard deviations, positive, in a shape that broadcasts with `loc`.
        log_scale: Instead of `scale`: logarithms of the standard deviations.

    Raises:
        ValueError: Neither or both of `scale` and `log_scale` are given.
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> d = Normal(np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    >>> d.log_prob(np.array([0.0, 3.0])).array.round(4).tolist()
    [-0.9189, -2.1121]
    """

    def __init__(self, loc: Any, scale: Any = None, *, log_scale: Any = None) -> None:
        if one_of("Normal", {"scale": scale}, {"log_scale": log_scale}) == 0:
            self.loc, self.scale = self._accept(loc=loc, scale=scale)
            self._log_scale = None
        else:
            self.loc, self._log_scale = self._accept(loc=loc, log_scale=log_scale)
            self.scale = exp(self._log_scale)

    @property
    def log_scale(self) -> Variable:
        """Logarithms of the standard deviations."""
        return log(self.scale) if self._log_scale is None else self._log_scale

    @property
    def support(self) -> str:
        """All real numbers."""
        return "real"

    def sample_n(self, n: int) -> Variable:
        """``loc + scale * z``."""
        return self.scale * as_variable(sampling.normal(self.loc, (n, *self.batch_shape))) + self.loc

    def _log_prob(self, x: Variable) -> Variable:
        z = (x - self.loc) / self.scale
        return z * z * -0.5 - self.log_scale - _HALF_LOG_2PI

    def cdf(self, x: Any) -> Variable:
        """By `ndtr`."""
        return ndtr(self._standard("cdf", x))

    def icdf(self, x: Any) -> Variable:
        """By `ndtri`."""
        return ndtri(self._levels(x)) * self.scale + self.loc

    def log_cdf(self, x: Any) -> Variable:
        """By `log_ndtr`, which is finite far from the mean too."""
        return log_ndtr(self._standard("log_cdf", x))

    def survival_function(self, x: Any) -> Variable:
        """By `ndtr`."""
        return ndtr(-self._standard("survival_function", x))

    def log_survival_function(self, x: Any) -> Variable:
        """By `log_ndtr`, which is finite far from the mean too."""
        return log_ndtr(-self._standard("log_survival_function", x))

    @property
    def mean(self) -> Variable:
        """`loc`."""
        return self.loc

    @property
    def mode(self) -> Variable:
        """`loc`."""
        return self.loc

    @property
    def variance(self) -> Variable:
        """``scale**2``."""
        return self.scale * self.scale

    @property
    def stddev(self) -> Variable:
        """`scale`."""
        return self.scale

    @property
    def entropy(self) -> Variable:
        """``log(scale √(2πe))``."""
        return self.log_scale + (0.5 + _HALF_LOG_2PI)

    def _standard(self, member: str, x: Any) -> Variable:
        return (self._points(member, x) - self.loc) / self.scale


class LogNormal(Univariate):
    """The log-normal distribution of positive numbers: their logarithm is normal.

    Samples can be differentiated with respect to the parameters.

    Args:
        mu: Means of the logarithm.
        sigma: Standard deviations of the logarithm, positive.

    Raises:
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> LogNormal(np.array([0.0]), np.array([1.0])).mean.array.round(4).tolist()
    [1.6487]
    """

    def __init__(self, mu: Any, sigma: Any) -> None:
        self.mu, self.sigma = self._accept(mu=mu, sigma=sigma)
        self._of_log = Normal(self.mu, self.sigma)

    @property
    def support(self) -> str:
        """Positive numbers."""
        return "positive"

    def _outside(self, x: Array) -> Array:
        return x <= 0

    def _inside_point(self) -> Any:
        return 1

    def sample_n(self, n: int) -> Variable:
        """``exp(mu + sigma * z)``."""
        return exp(self._of_log.sample_n(n))

    def _log_prob(self, x: Variable) -> Variable:
        log_x = log(x)
        return self._of_log.log_prob(log_x) - log_x

    def cdf(self, x: Any) -> Variable:
        """The value of the normal distribution at ``log(x)``; 0 for x ≤ 0."""
        return self._by_log("cdf", x, 0)

    def log_cdf(self, x: Any) -> Variable:
        """The value of the normal distribution at ``log(x)``."""
        return self._by_log("log_cdf", x, float("-inf"))

    def survival_function(self, x: Any) -> Variable:
        """The value of the normal distribution at ``log(x)``; 1 for x ≤ 0."""
        return self._by_log("survival_function", x, 1)

    def log_survival_function(self, x: Any) -> Variable:
        """The value of the normal distribution at ``log(x)``."""
        return self._by_log("log_survival_function", x, 0)

    def icdf(self, x: Any) -> Variable:
        """``exp`` of the value of the normal distribution."""
        return exp(self._of_log.icdf(self._points("icdf", x)))

    @property
    def mean(self) -> Variable:
        """``exp(mu + sigma**2 / 2)``."""
        return exp(self.mu + self.sigma * self.sigma / 2)

    @property
    def mode(self) -> Variable:
        """``exp(mu - sigma**2)``."""
        return exp(self.mu - self.sigma * self.sigma)

    @property
    def variance(self) -> Variable:
        """``(exp(sigma**2) - 1) exp(2 mu + sigma**2)``."""
        square = self.sigma * self.sigma
        return expm1(square) * exp(self.mu * 2 + square)

    @property
    def entropy(self) -> Variable:
        """The entropy of the logarithm, plus `mu`."""
        return self._of_log.entropy + self.mu

    def _by_log(self, member: str, x: Any, outside: float) -> Variable:
        """A function of the normal distribution at ``log(x)``; `outside` for x ≤ 0."""
        at = self._points(member, x)
        beyond = at.array <= 0
        return where(beyond, outside, getattr(self._of_log, member)(log(where(beyond, 1, at))))


@register_kl(Normal, Normal)
def _normal(dist1: Normal, dist2: Normal) -> Variable:
    ratio, away = dist1.scale / dist2.scale, (dist1.loc - dist2.loc) / dist2.scale
    return dist2.log_scale - dist1.log_scale + (ratio * ratio + away * away - 1) / 2


@register_kl(LogNormal, LogNormal)
def _log_normal(dist1: LogNormal, dist2: LogNormal) -> Variable:
    return kl_divergence(dist1._of_log, dist2._of_log)
