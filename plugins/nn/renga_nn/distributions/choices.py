"""Discrete distributions with finitely many values: Bernoulli, categorical, one-hot categorical."""

from __future__ import annotations

import math
from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable, as_variable
from renga_nn.distributions import sampling
from renga_nn.distributions.arguments import Shape, one_of, parameters, points
from renga_nn.distributions.distribution import Distribution
from renga_nn.distributions.kl import register_kl
from renga_nn.distributions.numerics import safe_log, safe_log1p, weighted, xlogy
from renga_nn.distributions.univariate import Univariate, no_integer
from renga_nn.distributions.vectors import outer_covariance
from renga_nn.functions import (
    argmax,
    get_item,
    log_softmax,
    sigmoid,
    softmax,
    softplus,
    where,
)

__all__ = ["Bernoulli", "Categorical", "OneHotCategorical"]


class Bernoulli(Univariate):
    """The Bernoulli distribution: a number that is 1 with probability p, else 0.

    Samples are int32.

    Args:
        p: Probabilities of 1: Variable, array or number.
        logit: Instead of `p`: ``log(p / (1 - p))``.
        binary_check: Give points other than 0 and 1 the probability 0. Otherwise `log_prob` is linear between them, ``x
            log(p) + (1 - x) log(1 - p)``, as used in losses with soft targets.

    Raises:
        ValueError: Neither or both of `p` and `logit` are given.
        InvalidType: The parameter is not floating.

    >>> import numpy as np
    >>> Bernoulli(np.array([0.25])).prob(np.array([1])).array.round(4).tolist()
    [0.25]
    """

    def __init__(self, p: Any = None, logit: Any = None, binary_check: bool = False) -> None:
        self._by_p = one_of("Bernoulli", {"p": p}, {"logit": logit}) == 0
        if self._by_p:
            (self.p,) = self._accept(p=p)
            self._q, self.logit = 1 - self.p, safe_log(self.p) - safe_log1p(-self.p)
        else:
            (self.logit,) = self._accept(logit=logit)
            self.p, self._q = sigmoid(self.logit), sigmoid(-self.logit)
        self.binary_check = binary_check

    @property
    def support(self) -> str:
        """0 and 1."""
        return "{0, 1}"

    def _outside(self, x: Array) -> Array | None:
        return (x < 0) | (x > 1) | no_integer(x) if self.binary_check else None

    def _inside_point(self) -> Any:
        return 0

    def sample_n(self, n: int) -> Variable:
        """Whether uniform numbers are below `p`."""
        draws = sampling.uniform(self.p, (n, *self.batch_shape)) < self.p.array
        return as_variable(draws.astype("int32"))

    def _log_prob(self, x: Variable) -> Variable:
        return self._weighted(x, 1 - x)

    def _weighted(self, of_one: Variable, of_zero: Variable) -> Variable:
        """``of_one log(p) + of_zero log(1 - p)``, where a weight of 0 times an infinite logarithm is 0."""
        if self._by_p:
            return xlogy(of_one, self.p) + xlogy(of_zero, self._q)
        return -weighted(of_one, softplus(-self.logit)) - weighted(of_zero, softplus(self.logit))

    def cdf(self, x: Any) -> Variable:
        """0 below 0, ``1 - p`` from 0, 1 from 1."""
        at = self._points("cdf", x)
        return where(at.array < 0, 0, where(at.array < 1, self._q, 1))

    @property
    def mean(self) -> Variable:
        """`p`."""
        return self.p

    @property
    def mode(self) -> Variable:
        """1 where `p` is above 1/2, else 0."""
        return as_variable((self.p.array > 0.5).astype(self.p.dtype))

    @property
    def variance(self) -> Variable:
        """``p (1 - p)``."""
        return self.p * self._q

    @property
    def entropy(self) -> Variable:
        """``-p log(p) - (1 - p) log(1 - p)``."""
        return -self._weighted(self.p, self._q)


class Categorical(Distribution):
    """The categorical distribution of a class from 0 to K - 1; class i has probability ``p[..., i]``.

    Samples are int32.

    Args:
        p: Probabilities ``(..., K)`` that add up to 1: Variable or array.
        logit: Instead of `p`: logarithms of probabilities, up to an additive constant.

    Raises:
        ValueError: Neither or both of `p` and `logit` are given.
        InvalidType: The parameter is not floating, or has no axes.

    >>> import numpy as np
    >>> Categorical(np.array([0.25, 0.75])).prob(np.array([0, 1, 2])).array.round(4).tolist()
    [0.25, 0.75, 0.0]
    """

    def __init__(self, p: Any = None, *, logit: Any = None) -> None:
        self._by_p = one_of("Categorical", {"p": p}, {"logit": logit}) == 0
        if self._by_p:
            (self.p,), self._batch_shape = parameters("Categorical", {"p": (p, 1)})
            self.logit = safe_log(self.p)
        else:
            (self.logit,), self._batch_shape = parameters("Categorical", {"logit": (logit, 1)})
            self.p = softmax(self.logit, axis=-1)

    @property
    def params(self) -> dict[str, Variable]:
        """The parameter that was given, by name."""
        return {"p": self.p} if self._by_p else {"logit": self.logit}

    @property
    def batch_shape(self) -> Shape:
        """The shape of `p` without the last axis."""
        return self._batch_shape

    @property
    def event_shape(self) -> Shape:
        """``()``: a class is a number."""
        return ()

    @property
    def support(self) -> str:
        """0 to K - 1."""
        return "{0, 1, ..., K - 1}"

    @property
    def log_p(self) -> Variable:
        """Logarithms of the probabilities."""
        return self.logit if self._by_p else log_softmax(self.logit, axis=-1)

    def sample_n(self, n: int) -> Variable:
        """The first class at which the cumulative sum of `p` exceeds a uniform number."""
        return as_variable(_draw_classes(self.p, n, self.batch_shape))

    def log_prob(self, x: Any) -> Variable:
        """The logarithm of the probability of classes `x`; -inf for invalid classes."""
        at = points("Categorical.log_prob", x, self.p, self.batch_shape)
        size = self.p.shape[-1]
        valid = (at.array >= 0) & (at.array < size) & ~no_integer(at.array)
        classes = self.xp.where(valid, at.array, 0).astype("int64")
        # With all probabilities in one row: the start of each row of the batch, plus the class.
        starts = self.xp.arange(math.prod(self.batch_shape)).reshape(self.batch_shape) * size
        return where(valid, get_item(self.log_p.reshape(-1), starts + classes), float("-inf"))

    def cdf(self, x: Any) -> Variable:
        """The sum of the probabilities of the classes up to `x`."""
        at = points("Categorical.cdf", x, self.p, self.batch_shape)
        counted = self.xp.arange(self.p.shape[-1]).astype(self.p.dtype) <= at.array[..., None]
        return where(counted, self.p, 0).sum(-1)

    @property
    def mode(self) -> Variable:
        """The most probable class, int32; the first one if there are several."""
        return argmax(self.p, axis=-1)

    @property
    def entropy(self) -> Variable:
        """``-Σ p log(p)``."""
        return -weighted(self.p, self.log_p).sum(-1)


class OneHotCategorical(Distribution):
    """The categorical distribution over one-hot vectors ``(K,)``: the 1 is at i with probability ``p[..., i]``.

    Samples are constants in the dtype of `p`.

    Args:
        p: Probabilities ``(..., K)`` that add up to 1: Variable or array.

    Raises:
        InvalidType: `p` is not floating, or has no axes.

    >>> import numpy as np
    >>> OneHotCategorical(np.array([0.25, 0.75])).prob(np.array([0, 1])).array.round(4).tolist()
    0.75
    """

    def __init__(self, p: Any) -> None:
        (self.p,), self._batch_shape = parameters("OneHotCategorical", {"p": (p, 1)})

    @property
    def params(self) -> dict[str, Variable]:
        """`p`."""
        return {"p": self.p}

    @property
    def batch_shape(self) -> Shape:
        """The shape of `p` without the last axis."""
        return self._batch_shape

    @property
    def event_shape(self) -> Shape:
        """``(K,)``."""
        return (self.p.shape[-1],)

    @property
    def support(self) -> str:
        """Vectors with a single 1."""
        return "one-hot vectors"

    @property
    def log_p(self) -> Variable:
        """Logarithms of the probabilities."""
        return safe_log(self.p)

    def sample_n(self, n: int) -> Variable:
        """Samples of `Categorical` as vectors."""
        return self._one_hot(_draw_classes(self.p, n, self.batch_shape))

    def log_prob(self, x: Any) -> Variable:
        """The logarithm of the probability of vectors `x`; -inf for vectors that are not one-hot."""
        at = points("OneHotCategorical.log_prob", x, self.p, self.batch_shape, self.event_shape)
        one = at.array == 1
        valid = (one | (at.array == 0)).all(axis=-1) & (one.sum(axis=-1) == 1)
        return where(valid, where(one, self.log_p, 0).sum(-1), float("-inf"))

    @property
    def mean(self) -> Variable:
        """`p`."""
        return self.p

    @property
    def mode(self) -> Variable:
        """The most probable vector; the first one if there are several."""
        return self._one_hot(argmax(self.p, axis=-1).array)

    @property
    def variance(self) -> Variable:
        """``p (1 - p)``."""
        return self.p * (1 - self.p)

    @property
    def covariance(self) -> Variable:
        """``diag(p) - p pᵀ``."""
        return outer_covariance(self.p)

    @property
    def entropy(self) -> Variable:
        """``-Σ p log(p)``."""
        return -weighted(self.p, self.log_p).sum(-1)

    def _one_hot(self, classes: Array) -> Variable:
        chosen = classes[..., None] == self.xp.arange(self.p.shape[-1])
        return as_variable(chosen.astype(self.p.dtype))


def _draw_classes(p: Variable, n: int, batch: Shape) -> Array:
    """Classes, int32 ``(n, *batch)``."""
    narrow = p.dtype.itemsize < 4
    sums = p.xp.cumsum(p.array.astype("float32") if narrow else p.array, axis=-1)
    # Scale by the actual sum, so that rounding leaves no gap at the end.
    level = sampling.uniform(p, (n, *batch)) * sums[..., -1]
    return (sums[..., :-1] <= level[..., None]).sum(axis=-1).astype("int32")


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(dist1: Bernoulli, dist2: Bernoulli) -> Variable:
    return dist1._weighted(dist1.p, dist1._q) - dist2._weighted(dist1.p, dist1._q)


@register_kl(Categorical, Categorical)
@register_kl(OneHotCategorical, OneHotCategorical)
def _classes(dist1: Any, dist2: Any) -> Variable:
    return (weighted(dist1.p, dist1.log_p) - weighted(dist1.p, dist2.log_p)).sum(-1)
