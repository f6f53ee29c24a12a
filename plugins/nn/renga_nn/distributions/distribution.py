"""`Distribution`: the interface of probability distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from renga_core.backend import get_array_module
from renga_core.graph import Variable
from renga_core.integers import as_ints
from renga_nn.distributions.numerics import safe_log
from renga_nn.functions import exp, reshape, sqrt

__all__ = ["Distribution"]


class Distribution:
    """A probability distribution, or a batch of them: one for each element of the parameters.

    The shape of samples has three parts: ``sample_shape + batch_shape + event_shape``. `event_shape` is the shape of a
    single sample, such as ``(3,)`` for vectors and ``()`` for numbers. `batch_shape` counts distributions with
    different parameters, `sample_shape` counts samples from the same distribution. Functions such as `log_prob` take
    points of this shape, or of one that broadcasts with it; they return that shape without the event's.

    To write a distribution, define `batch_shape`, `event_shape`, `params`, `log_prob` and `sample_n`, and any other
    members that exist. `prob`, `perplexity`, `stddev`, the survival functions and `log_cdf` have defaults. Members that
    are not defined raise NotImplementedError, which names the member and the distribution.

    All computations use Renga's functions, so there are gradients with respect to the parameters.
    """

    # --- shapes and parameters --------------------

    @property
    def params(self) -> dict[str, Variable]:
        """The parameters by name: ``type(d)(**d.params)`` is the same distribution."""
        raise self._missing("params")

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the batch of distributions."""
        raise self._missing("batch_shape")

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The shape of a single sample."""
        raise self._missing("event_shape")

    @property
    def support(self) -> str:
        """The set of possible values, as text."""
        raise self._missing("support")

    @property
    def xp(self) -> Any:
        """The namespace of the parameters' arrays."""
        return get_array_module(*[parameter.array for parameter in self.params.values()])

    # --- samples --------------------

    def sample(self, sample_shape: int | Sequence[int] = ()) -> Variable:
        """Draw samples.

        Args:
            sample_shape: Number of samples, as a shape or a number.

        Returns:
            Variable of shape ``sample_shape + batch_shape + event_shape``.
        """
        shape = as_ints(sample_shape)
        return reshape(self.sample_n(math.prod(shape)), (*shape, *self.batch_shape, *self.event_shape))

    def sample_n(self, n: int) -> Variable:
        """Draw `n` samples: ``(n, *batch_shape, *event_shape)``."""
        raise self._missing("sample_n")

    # --- functions of points --------------------

    def log_prob(self, x: Any) -> Variable:
        """The logarithm of the density, or of the probability of a discrete value, at `x`."""
        raise self._missing("log_prob")

    def prob(self, x: Any) -> Variable:
        """The density, or the probability of a discrete value, at `x`."""
        return exp(self.log_prob(x))

    def perplexity(self, x: Any) -> Variable:
        """``1 / prob(x)``: the number of equally likely values with the same probability as `x`."""
        return exp(-self.log_prob(x))

    def cdf(self, x: Any) -> Variable:
        """The probability that a sample is at most `x`."""
        raise self._missing("cdf")

    def icdf(self, x: Any) -> Variable:
        """The inverse of `cdf`: the point at which `cdf` is `x`. NaN if `x` is not a probability."""
        raise self._missing("icdf")

    def log_cdf(self, x: Any) -> Variable:
        """The logarithm of `cdf`."""
        return safe_log(self.cdf(x))

    def survival_function(self, x: Any) -> Variable:
        """The probability that a sample is larger than `x`."""
        return 1 - self.cdf(x)

    def log_survival_function(self, x: Any) -> Variable:
        """The logarithm of `survival_function`."""
        return safe_log(self.survival_function(x))

    # --- moments and the like --------------------

    @property
    def mean(self) -> Variable:
        """The mean, of shape ``batch_shape + event_shape``."""
        raise self._missing("mean")

    @property
    def variance(self) -> Variable:
        """The variance of each element of a sample."""
        raise self._missing("variance")

    @property
    def stddev(self) -> Variable:
        """The square root of `variance`."""
        return sqrt(self.variance)

    @property
    def covariance(self) -> Variable:
        """The covariances of the elements of a sample, ``batch_shape + (d, d)``, if samples are vectors."""
        raise self._missing("covariance", "samples are not vectors: use variance" if not self.event_shape else "")

    @property
    def mode(self) -> Variable:
        """The most probable point."""
        raise self._missing("mode")

    @property
    def entropy(self) -> Variable:
        """The mean of ``-log_prob(x)``, in nats, of shape ``batch_shape``."""
        raise self._missing("entropy")

    def _missing(self, member: str, reason: str = "") -> NotImplementedError:
        """The error for a member that this distribution does not have."""
        return NotImplementedError(f"{type(self).__name__}.{member}: {reason or 'there is no closed form'}")
