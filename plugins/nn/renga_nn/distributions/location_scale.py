"""Distributions with a location and a scale: Cauchy, Gumbel, Laplace and uniform."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_nn.distributions import sampling
from renga_nn.distributions.arguments import one_of
from renga_nn.distributions.kl import register_kl
from renga_nn.distributions.numerics import safe_log
from renga_nn.distributions.univariate import Univariate
from renga_nn.functions import (
    absolute,
    arctan2,
    cast,
    clip,
    cos,
    exp,
    expm1,
    lgamma,
    log,
    log1p,
    minimum,
    sin,
    where,
)

__all__ = ["Cauchy", "Gumbel", "Laplace", "Uniform"]

_LOG_2 = math.log(2)


class _LocationScale(Univariate):
    """A distribution of real numbers that is a function of ``(x - loc) / scale``."""

    loc: Variable
    scale: Variable

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = self._accept(loc=loc, scale=scale)

    @property
    def support(self) -> str:
        """All real numbers."""
        return "real"

    @property
    def mode(self) -> Variable:
        """`loc`."""
        return self.loc

    def sample_n(self, n: int) -> Variable:
        """``loc + scale * z``."""
        return self.scale * cast(self._noise((n, *self.batch_shape)), self.scale.dtype) + self.loc

    def _noise(self, shape: tuple[int, ...]) -> Array:
        """Samples for ``loc = 0, scale = 1``."""
        raise NotImplementedError

    def _standard(self, member: str, x: Any) -> Variable:
        return self._z(self._points(member, x))

    def _z(self, x: Variable) -> Variable:
        return (x - self.loc) / self.scale


class Cauchy(_LocationScale):
    """The Cauchy distribution, ``1 / (π scale (1 + z**2))`` with ``z = (x - loc) / scale``.

    It has neither mean nor variance: they are NaN. Samples can be differentiated with respect to the parameters.

    Args:
        loc: Medians: Variable, array or number.
        scale: Half the distance between the quartiles, positive.

    Raises:
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> Cauchy(np.array([0.0]), np.array([1.0])).cdf(np.array([1.0])).array.round(4).tolist()
    [0.75]
    """

    def _noise(self, shape: tuple[int, ...]) -> Array:
        return self.xp.tan((sampling.uniform(self.loc, shape) - 0.5) * math.pi)

    def _log_prob(self, x: Variable) -> Variable:
        z = self._z(x)
        return -log1p(z * z) - log(self.scale * math.pi)

    def cdf(self, x: Any) -> Variable:
        """The angle of ``(-z, 1)`` divided by π; accurate for small angles too."""
        return _angle(-self._standard("cdf", x))

    def survival_function(self, x: Any) -> Variable:
        """The angle of ``(z, 1)``, divided by π."""
        return _angle(self._standard("survival_function", x))

    def icdf(self, x: Any) -> Variable:
        """``loc - scale / tan(π x)``."""
        level = self._levels(x)
        low, high = level.array == 0, level.array == 1
        inside = where(low | high, 0.5, level) * math.pi
        z = -cos(inside) / sin(inside)
        return where(low, -math.inf, where(high, math.inf, z)) * self.scale + self.loc

    @property
    def mean(self) -> Variable:
        """NaN: there is none."""
        return self._constant(math.nan)

    @property
    def variance(self) -> Variable:
        """NaN: there is none."""
        return self._constant(math.nan)

    @property
    def entropy(self) -> Variable:
        """``log(4π scale)``."""
        return log(self.scale * (4 * math.pi))


def _angle(z: Variable) -> Variable:
    one = z.xp.ones_like(z.array)
    return arctan2(one, z) / math.pi


class Gumbel(_LocationScale):
    """The Gumbel distribution, ``exp(-z - exp(-z)) / scale`` with ``z = (x - loc) / scale``, for maxima of samples.

    Samples can be differentiated with respect to the parameters.

    Args:
        loc: Most probable values: Variable, array or number.
        scale: Scales, positive.

    Raises:
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> Gumbel(np.array([0.0]), np.array([1.0])).mean.array.round(4).tolist()
    [0.5772]
    """

    def _noise(self, shape: tuple[int, ...]) -> Array:
        # The logarithm of 0 would be infinite.
        return -self.xp.log(self.xp.maximum(sampling.exponential(self.loc, shape), 1e-30))

    def _log_prob(self, x: Variable) -> Variable:
        z = self._z(x)
        return -(z + exp(-z)) - log(self.scale)

    def cdf(self, x: Any) -> Variable:
        """``exp(-exp(-z))``."""
        return exp(self.log_cdf(x))

    def log_cdf(self, x: Any) -> Variable:
        """``-exp(-z)``."""
        return -exp(-self._standard("log_cdf", x))

    def survival_function(self, x: Any) -> Variable:
        """``1 - exp(-exp(-z))``, exact for large z too."""
        return -expm1(self.log_cdf(x))

    def icdf(self, x: Any) -> Variable:
        """``loc - scale log(-log(x))``."""
        return self.loc - self.scale * safe_log(-safe_log(self._levels(x)))

    @property
    def mean(self) -> Variable:
        """``loc + γ scale``, with Euler's constant."""
        return self.loc + self.scale * np.euler_gamma

    @property
    def variance(self) -> Variable:
        """``(π scale)**2 / 6``."""
        return self.scale * self.scale * (math.pi**2 / 6)

    @property
    def entropy(self) -> Variable:
        """``log(scale) + γ + 1``."""
        return log(self.scale) + (np.euler_gamma + 1)


class Laplace(_LocationScale):
    """The Laplace distribution, ``exp(-|x - loc| / scale) / (2 scale)``.

    Samples can be differentiated with respect to the parameters.

    Args:
        loc: Means: Variable, array or number.
        scale: Mean absolute deviations, positive.

    Raises:
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> Laplace(np.array([0.0]), np.array([1.0])).prob(np.array([0.0])).array.tolist()
    [0.5]
    """

    def _noise(self, shape: tuple[int, ...]) -> Array:
        # The difference of two exponential samples: unlike the inverse of cdf, finite for all uniform numbers.
        return sampling.exponential(self.loc, shape) - sampling.exponential(self.loc, shape)

    def _log_prob(self, x: Variable) -> Variable:
        return -absolute(self._z(x)) - log(self.scale * 2)

    def cdf(self, x: Any) -> Variable:
        """``exp(z) / 2`` below `loc`, ``1 - exp(-z) / 2`` above."""
        return _laplace_cdf(self._standard("cdf", x))

    def log_cdf(self, x: Any) -> Variable:
        """Finite far below `loc` too."""
        return _laplace_log_cdf(self._standard("log_cdf", x))

    def survival_function(self, x: Any) -> Variable:
        """`cdf` on the other side."""
        return _laplace_cdf(-self._standard("survival_function", x))

    def log_survival_function(self, x: Any) -> Variable:
        """Finite far above `loc` too."""
        return _laplace_log_cdf(-self._standard("log_survival_function", x))

    def icdf(self, x: Any) -> Variable:
        """``log(2 x)`` or ``-log(2 - 2 x)``, in units of `scale` from `loc`."""
        level = self._levels(x)
        from_end = safe_log(minimum(level, 1 - level) * 2)
        return where(level.array < 0.5, from_end, -from_end) * self.scale + self.loc

    @property
    def mean(self) -> Variable:
        """`loc`."""
        return self.loc

    @property
    def variance(self) -> Variable:
        """``2 scale**2``."""
        return self.scale * self.scale * 2

    @property
    def stddev(self) -> Variable:
        """``√2 scale``."""
        return self.scale * math.sqrt(2)

    @property
    def entropy(self) -> Variable:
        """``1 + log(2 scale)``."""
        return log(self.scale * 2) + 1


def _laplace_cdf(z: Variable) -> Variable:
    half = exp(-absolute(z)) / 2
    return where(z.array < 0, half, 1 - half)


def _laplace_log_cdf(z: Variable) -> Variable:
    return where(z.array < 0, z - _LOG_2, log1p(exp(-absolute(z)) / -2))


class Uniform(Univariate):
    """The uniform distribution from `low` to `high`, both included.

    Samples can be differentiated with respect to the parameters.

    Args:
        low, high: Limits: Variables, arrays or numbers.
        loc, scale: Instead of `low` and `high`: the lower limit and the length.

    Raises:
        ValueError: Neither pair is complete, or parameters of both are given.
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> d = Uniform(low=np.array([0.0]), high=np.array([4.0]))
    >>> d.prob(np.array([1.0, 5.0])).array.tolist()
    [0.25, 0.0]
    """

    def __init__(self, low: Any = None, high: Any = None, *, loc: Any = None, scale: Any = None) -> None:
        if one_of("Uniform", {"low": low, "high": high}, {"loc": loc, "scale": scale}) == 0:
            self.low, self.high = self._accept(low=low, high=high)
            self.loc, self.scale = self.low, self.high - self.low
        else:
            self.loc, self.scale = self._accept(loc=loc, scale=scale)
            self.low, self.high = self.loc, self.loc + self.scale

    @property
    def support(self) -> str:
        """Numbers from `low` to `high`."""
        return "[low, high]"

    def _outside(self, x: Array) -> Array:
        return (x < self.low.array) | (x > self.high.array)

    def _inside_point(self) -> Any:
        return self.low

    def sample_n(self, n: int) -> Variable:
        """``loc + scale * u``."""
        return self.scale * cast(sampling.uniform(self.loc, (n, *self.batch_shape)), self.loc.dtype) + self.loc

    def _log_prob(self, x: Variable) -> Variable:
        return x * 0 - log(self.scale)  # in the shape of x, and NaN where x is NaN

    def cdf(self, x: Any) -> Variable:
        """``(x - loc) / scale`` between the limits."""
        return clip((self._points("cdf", x) - self.low) / self.scale, 0, 1)

    def survival_function(self, x: Any) -> Variable:
        """What is left above `x`."""
        return clip((self.high - self._points("survival_function", x)) / self.scale, 0, 1)

    def icdf(self, x: Any) -> Variable:
        """``loc + scale x``."""
        return self._levels(x) * self.scale + self.loc

    @property
    def mean(self) -> Variable:
        """The midpoint."""
        return (self.low + self.high) / 2

    @property
    def mode(self) -> Variable:
        """There is none.

        Raises:
            NotImplementedError: Always.
        """
        raise self._missing("mode", "all points are equally likely")

    @property
    def variance(self) -> Variable:
        """``scale**2 / 12``."""
        return self.scale * self.scale / 12

    @property
    def entropy(self) -> Variable:
        """``log(scale)``."""
        return log(self.scale)


@register_kl(Cauchy, Cauchy)
def _cauchy(dist1: Cauchy, dist2: Cauchy) -> Variable:
    """Chyzak & Nielsen (2019), A closed-form formula for the Kullback-Leibler divergence between Cauchy distributions.

    ``log(((s1 + s2)**2 + (l1 - l2)**2) / (4 s1 s2))``, computed in units of the second scale.
    """
    ratio, away = dist1.scale / dist2.scale, (dist1.loc - dist2.loc) / dist2.scale
    return log((ratio + 1) * (ratio + 1) + away * away) - log(ratio * 4)


@register_kl(Gumbel, Gumbel)
def _gumbel(dist1: Gumbel, dist2: Gumbel) -> Variable:
    ratio, away = dist1.scale / dist2.scale, (dist1.loc - dist2.loc) / dist2.scale
    return away - log(ratio) + np.euler_gamma * (ratio - 1) + exp(lgamma(ratio + 1) - away) - 1


@register_kl(Laplace, Laplace)
def _laplace(dist1: Laplace, dist2: Laplace) -> Variable:
    ratio, away = dist1.scale / dist2.scale, absolute(dist1.loc - dist2.loc) / dist2.scale
    return away + ratio * exp(-away / ratio) - log(ratio) - 1


@register_kl(Uniform, Uniform)
def _uniform(dist1: Uniform, dist2: Uniform) -> Variable:
    beyond = (dist1.low.array < dist2.low.array) | (dist1.high.array > dist2.high.array)
    return where(beyond, float("inf"), log(dist2.scale) - log(dist1.scale))
