"""The gamma distribution and related ones: chi-squared, beta and Dirichlet."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable, as_variable
from renga_nn.distributions import sampling
from renga_nn.distributions.arguments import Shape, parameters, points
from renga_nn.distributions.distribution import Distribution
from renga_nn.distributions.kl import kl_divergence, register_kl
from renga_nn.distributions.numerics import log_beta, xlog1py, xlogy
from renga_nn.distributions.univariate import Univariate
from renga_nn.distributions.vectors import outer_covariance
from renga_nn.functions import cast, digamma, expand_dims, lgamma, log, maximum, sigmoid, softmax, where

__all__ = ["Beta", "Chisquare", "Dirichlet", "Gamma"]


class Gamma(Univariate):
    """The gamma distribution, ``x**(k - 1) exp(-x / theta) / (Γ(k) theta**k)`` for x ≥ 0.

    Samples are constants: no gradient flows through them.

    Args:
        k: Shapes, positive: Variable, array or number.
        theta: Scales, positive.

    Raises:
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> Gamma(np.array([3.0]), np.array([2.0])).mean.array.tolist()
    [6.0]
    """

    def __init__(self, k: Any, theta: Any) -> None:
        self.k, self.theta = self._accept(k=k, theta=theta)

    @property
    def support(self) -> str:
        """Numbers from 0 on."""
        return "positive"

    def _outside(self, x: Array) -> Array:
        return x < 0

    def _inside_point(self) -> Any:
        return 1

    def sample_n(self, n: int) -> Variable:
        """By rejection (Marsaglia & Tsang 2000).

        Raises:
            ValueError: `k` is not positive somewhere.
        """
        sampling.require_positive(type(self).__name__, "k", self.k)
        draws = self.xp.exp(sampling.log_gamma_draws(self.k, n)) * self.theta.array.astype("float64")
        return _constant(draws, self.k)

    def _log_prob(self, x: Variable) -> Variable:
        return xlogy(self.k - 1, x) - x / self.theta - lgamma(self.k) - self.k * log(self.theta)

    @property
    def mean(self) -> Variable:
        """``k theta``."""
        return self.k * self.theta

    @property
    def mode(self) -> Variable:
        """``(k - 1) theta``, or 0 for `k` below 1."""
        return maximum(self.k - 1, 0) * self.theta

    @property
    def variance(self) -> Variable:
        """``k theta**2``."""
        return self.k * self.theta * self.theta

    @property
    def entropy(self) -> Variable:
        """``k + log(theta Γ(k)) + (1 - k) ψ(k)``."""
        return self.k + log(self.theta) + lgamma(self.k) + (1 - self.k) * digamma(self.k)


class Chisquare(Univariate):
    """The chi-squared distribution: the gamma distribution of shape ``k / 2`` and scale 2.

    It is the distribution of the sum of squares of `k` normal numbers. Samples are constants without gradient.

    Args:
        k: Degrees of freedom, positive: Variable or array of a floating dtype, or a number.

    Raises:
        InvalidType: `k` is not floating.

    >>> import numpy as np
    >>> Chisquare(np.array([3.0])).variance.array.tolist()
    [6.0]
    """

    def __init__(self, k: Any) -> None:
        (self.k,) = self._accept(k=k)
        self._gamma = Gamma(self.k / 2, 2)

    @property
    def support(self) -> str:
        """Numbers from 0 on."""
        return "positive"

    def sample_n(self, n: int) -> Variable:
        """Like `Gamma`.

        Raises:
            ValueError: `k` is not positive somewhere.
        """
        sampling.require_positive("Chisquare", "k", self.k)
        return self._gamma.sample_n(n)

    def log_prob(self, x: Any) -> Variable:
        """``(k/2 - 1) log(x) - x/2 - k/2 log(2) - log(Γ(k/2))``; -inf below 0."""
        return self._gamma.log_prob(self._points("log_prob", x))

    @property
    def mean(self) -> Variable:
        """`k`."""
        return self.k

    @property
    def mode(self) -> Variable:
        """``k - 2``, or 0 for `k` below 2."""
        return self._gamma.mode

    @property
    def variance(self) -> Variable:
        """``2 k``."""
        return self.k * 2

    @property
    def entropy(self) -> Variable:
        """``k/2 + log(2 Γ(k/2)) + (1 - k/2) ψ(k/2)``."""
        return self._gamma.entropy


class Beta(Univariate):
    """The beta distribution, ``x**(a - 1) (1 - x)**(b - 1) / B(a, b)`` for x in [0, 1].

    Samples are constants: no gradient flows through them.

    Args:
        a, b: Positive: Variables, arrays or numbers.

    Raises:
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> Beta(np.array([1.0]), np.array([3.0])).mean.array.tolist()
    [0.25]
    """

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = self._accept(a=a, b=b)

    @property
    def support(self) -> str:
        """Numbers from 0 to 1."""
        return "[0, 1]"

    def _outside(self, x: Array) -> Array:
        return (x < 0) | (x > 1)

    def _inside_point(self) -> Any:
        return 0.5

    def sample_n(self, n: int) -> Variable:
        """The first of two gamma samples, divided by their sum.

        Raises:
            ValueError: `a` or `b` is not positive somewhere.
        """
        for name in ("a", "b"):
            sampling.require_positive("Beta", name, getattr(self, name))
        first, second = sampling.log_gamma_draws(self.a, n), sampling.log_gamma_draws(self.b, n)
        return _constant(sigmoid(first - second).array, self.a)

    def _log_prob(self, x: Variable) -> Variable:
        return xlogy(self.a - 1, x) + xlog1py(self.b - 1, -x) - log_beta(self.a, self.b)

    @property
    def mean(self) -> Variable:
        """``a / (a + b)``."""
        return self.a / (self.a + self.b)

    @property
    def mode(self) -> Variable:
        """``(a - 1) / (a + b - 2)``, or the more probable end; NaN if both ends or all points are equally probable."""
        a, b = self.a.array, self.b.array
        inside = (a > 1) & (b > 1)
        above, below = where(inside, self.a, 2) - 1, where(inside, self.b, 2) - 1
        at_end = where((a > 1) | (b < a) & (b <= 1), self._constant(1), 0)
        at_end = where((a <= 1) & (b <= 1) & ((a == b) | (a < 1) & (b < 1)), float("nan"), at_end)
        return where(inside, above / (above + below), at_end)

    @property
    def variance(self) -> Variable:
        """``a b / ((a + b)**2 (a + b + 1))``."""
        total = self.a + self.b
        return self.a / total * (self.b / total) / (total + 1)

    @property
    def entropy(self) -> Variable:
        """``log(B(a, b)) - (a - 1) ψ(a) - (b - 1) ψ(b) + (a + b - 2) ψ(a + b)``."""
        a, b, total = self.a, self.b, self.a + self.b
        return log_beta(a, b) - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (total - 2) * digamma(total)


class Dirichlet(Distribution):
    """The Dirichlet distribution of positive vectors x with sum 1: proportional to the product of ``x**(alpha - 1)``.

    Samples are constants: no gradient flows through them. It is not checked that points add up to 1.

    Args:
        alpha: Positive: Variable or array ``(..., K)``.

    Raises:
        InvalidType: `alpha` is not floating, or has no axes.

    >>> import numpy as np
    >>> Dirichlet(np.array([1.0, 3.0])).mean.array.tolist()
    [0.25, 0.75]
    """

    def __init__(self, alpha: Any) -> None:
        (self.alpha,), self._batch_shape = parameters("Dirichlet", {"alpha": (alpha, 1)})

    @property
    def params(self) -> dict[str, Variable]:
        """`alpha`."""
        return {"alpha": self.alpha}

    @property
    def batch_shape(self) -> Shape:
        """The shape of `alpha` without the last axis."""
        return self._batch_shape

    @property
    def event_shape(self) -> Shape:
        """``(K,)``."""
        return (self.alpha.shape[-1],)

    @property
    def support(self) -> str:
        """Numbers from 0 to 1 that add up to 1."""
        return "[0, 1]"

    @property
    def _total(self) -> Variable:
        return self.alpha.sum(-1)

    def sample_n(self, n: int) -> Variable:
        """Gamma samples, divided by their sum.

        Raises:
            ValueError: `alpha` is not positive somewhere.
        """
        sampling.require_positive("Dirichlet", "alpha", self.alpha)
        return _constant(softmax(sampling.log_gamma_draws(self.alpha, n), axis=-1).array, self.alpha)

    def log_prob(self, x: Any) -> Variable:
        """The logarithm of the density at vectors `x`; -inf if an element is not in [0, 1]."""
        at = points("Dirichlet.log_prob", x, self.alpha, self.batch_shape, self.event_shape)
        outside = ((at.array < 0) | (at.array > 1)).any(axis=-1)
        inside = where(outside[..., None], 0.5, at)
        return where(outside, float("-inf"), xlogy(self.alpha - 1, inside).sum(-1) - self._log_norm)

    @property
    def mean(self) -> Variable:
        """`alpha`, divided by its sum."""
        return self.alpha / expand_dims(self._total, -1)

    @property
    def mode(self) -> Variable:
        """``alpha - 1``, divided by its sum; NaN unless all elements of `alpha` are above 1."""
        inside = (self.alpha.array > 1).all(axis=-1)
        above = where(inside[..., None], self.alpha, 2) - 1
        return where(inside[..., None], above / above.sum(-1, keepdims=True), float("nan"))

    @property
    def variance(self) -> Variable:
        """``m (1 - m) / (sum(alpha) + 1)`` with the mean m."""
        m = self.mean
        return m * (1 - m) / expand_dims(self._total + 1, -1)

    @property
    def covariance(self) -> Variable:
        """``(diag(m) - m mᵀ) / (sum(alpha) + 1)`` with the mean m."""
        return outer_covariance(self.mean) / expand_dims(expand_dims(self._total + 1, -1), -1)

    @property
    def entropy(self) -> Variable:
        """``log(B(alpha)) + (a - K) ψ(a) - Σ (alpha - 1) ψ(alpha)`` with the sum a of `alpha`."""
        total, size = self._total, self.alpha.shape[-1]
        return self._log_norm + (total - size) * digamma(total) - ((self.alpha - 1) * digamma(self.alpha)).sum(-1)

    @property
    def _log_norm(self) -> Variable:
        """The logarithm of the beta function of `alpha`."""
        return lgamma(self.alpha).sum(-1) - lgamma(self._total)


def _constant(draws: Array, like: Variable) -> Variable:
    """Samples in the dtype of a parameter."""
    return as_variable(cast(draws, like.dtype).array)


@register_kl(Gamma, Gamma)
def _gamma(dist1: Gamma, dist2: Gamma) -> Variable:
    k1, k2, ratio = dist1.k, dist2.k, dist1.theta / dist2.theta
    return (k1 - k2) * digamma(k1) - lgamma(k1) + lgamma(k2) - k2 * log(ratio) + k1 * (ratio - 1)


@register_kl(Chisquare, Chisquare)
def _chisquare(dist1: Chisquare, dist2: Chisquare) -> Variable:
    return kl_divergence(dist1._gamma, dist2._gamma)


@register_kl(Beta, Beta)
def _beta(dist1: Beta, dist2: Beta) -> Variable:
    a1, b1, a2, b2 = dist1.a, dist1.b, dist2.a, dist2.b
    difference = (a1 - a2) * digamma(a1) + (b1 - b2) * digamma(b1) - (a1 + b1 - a2 - b2) * digamma(a1 + b1)
    return log_beta(a2, b2) - log_beta(a1, b1) + difference


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(dist1: Dirichlet, dist2: Dirichlet) -> Variable:
    slopes = digamma(dist1.alpha) - expand_dims(digamma(dist1._total), -1)
    return dist2._log_norm - dist1._log_norm + ((dist1.alpha - dist2.alpha) * slopes).sum(-1)
