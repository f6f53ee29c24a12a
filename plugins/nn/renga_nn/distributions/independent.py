"""`Independent`: several independent distributions as one joint distribution."""

from __future__ import annotations

import math
from operator import index
from typing import Any

from renga_core.graph import InvalidType, Variable
from renga_nn.distributions.arguments import Shape
from renga_nn.distributions.distribution import Distribution
from renga_nn.distributions.kl import kl_divergence, register_kl
from renga_nn.functions import expand_dims, prod, reshape, swapaxes

__all__ = ["Independent"]


class Independent(Distribution):
    """A batch of distributions whose last batch axes become event axes.

    The samples are independent, so probabilities are products along these axes.

    Args:
        distribution: The original distribution.
        reinterpreted_batch_ndims: Number of batch axes that become event axes; None: all but the first.

    Raises:
        ValueError: There are not that many batch axes.

    >>> import numpy as np
    >>> from renga_nn.distributions import Normal
    >>> d = Independent(Normal(np.zeros((2, 3)), 1))
    >>> d.batch_shape, d.event_shape, d.log_prob(np.zeros((2, 3))).shape
    ((2,), (3,), (2,))
    """

    def __init__(self, distribution: Distribution, reinterpreted_batch_ndims: int | None = None) -> None:
        batch = distribution.batch_shape
        axes = max(0, len(batch) - 1) if reinterpreted_batch_ndims is None else index(reinterpreted_batch_ndims)
        if not 0 <= axes <= len(batch):
            there = f"the batch shape of {type(distribution).__name__} is {batch}"
            raise ValueError(f"Independent: reinterpreted_batch_ndims is {axes}; {there}")
        self.distribution = distribution
        self.reinterpreted_batch_ndims = axes

    @property
    def params(self) -> dict[str, Variable]:
        """The parameters of `distribution`."""
        return self.distribution.params

    @property
    def batch_shape(self) -> Shape:
        """The remaining batch axes."""
        batch = self.distribution.batch_shape
        return batch[: len(batch) - self.reinterpreted_batch_ndims]

    @property
    def event_shape(self) -> Shape:
        """The axes taken from the batch, and the event axes of `distribution`."""
        return self._taken + self.distribution.event_shape

    @property
    def support(self) -> str:
        """The support of `distribution`."""
        return self.distribution.support

    @property
    def xp(self) -> Any:
        """The namespace of `distribution`."""
        return self.distribution.xp

    def sample_n(self, n: int) -> Variable:
        """Samples of `distribution`."""
        return self.distribution.sample_n(n)

    def log_prob(self, x: Any) -> Variable:
        """The sum over the event axes taken from the batch."""
        return self._sum(self.distribution.log_prob(x))

    def cdf(self, x: Any) -> Variable:
        """The probability that each element of a sample is at most that of `x`."""
        return self._product(self.distribution.cdf(x))

    def log_cdf(self, x: Any) -> Variable:
        """The sum over the event axes taken from the batch."""
        return self._sum(self.distribution.log_cdf(x))

    def survival_function(self, x: Any) -> Variable:
        """The probability that each element of a sample is larger than that of `x`."""
        return self._product(self.distribution.survival_function(x))

    def log_survival_function(self, x: Any) -> Variable:
        """The sum over the event axes taken from the batch."""
        return self._sum(self.distribution.log_survival_function(x))

    def icdf(self, x: Any) -> Variable:
        """Not defined for several numbers.

        Raises:
            NotImplementedError: Always.
        """
        raise self._missing("icdf", "cdf is a function of several numbers and has no inverse")

    @property
    def mean(self) -> Variable:
        """Like `distribution`."""
        return self.distribution.mean

    @property
    def mode(self) -> Variable:
        """Like `distribution`."""
        return self.distribution.mode

    @property
    def variance(self) -> Variable:
        """Like `distribution`."""
        return self.distribution.variance

    @property
    def stddev(self) -> Variable:
        """Like `distribution`."""
        return self.distribution.stddev

    @property
    def covariance(self) -> Variable:
        """``batch_shape + (d, d)`` of all `d` elements of a sample: blocks along the diagonal."""
        inner = self.distribution
        blocks = inner.covariance if inner.event_shape else expand_dims(expand_dims(inner.variance, -1), -1)
        count, size = math.prod(self._taken), math.prod(inner.event_shape)
        blocks = reshape(blocks, (*self.batch_shape, count, 1, size, size))
        apart = self.xp.eye(count, dtype=blocks.dtype)[:, :, None, None]
        return reshape(swapaxes(blocks * apart, -3, -2), (*self.batch_shape, count * size, count * size))

    @property
    def entropy(self) -> Variable:
        """The sum over the event axes taken from the batch."""
        return self._sum(self.distribution.entropy)

    @property
    def _taken(self) -> Shape:
        batch = self.distribution.batch_shape
        return batch[len(batch) - self.reinterpreted_batch_ndims :]

    @property
    def _axes(self) -> tuple[int, ...]:
        return tuple(range(-self.reinterpreted_batch_ndims, 0))

    def _sum(self, x: Variable) -> Variable:
        return x.sum(self._axes)

    def _product(self, x: Variable) -> Variable:
        return prod(x, self._axes)


@register_kl(Independent, Independent)
def _independent(dist1: Independent, dist2: Independent) -> Variable:
    if dist1.reinterpreted_batch_ndims != dist2.reinterpreted_batch_ndims or dist1.event_shape != dist2.event_shape:
        expected = f"the event shape and the number of reinterpreted axes of dist1: {dist1.event_shape}"
        raise InvalidType("kl_divergence", "dist2", expected, f"{dist2.event_shape}")
    return dist1._sum(kl_divergence(dist1.distribution, dist2.distribution))
