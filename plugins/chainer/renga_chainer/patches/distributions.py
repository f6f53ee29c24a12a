"""Distributions with NumPy parameters draw by `numpy.random`'s methods, as in Chainer.

`Bernoulli` is linear between 0 and 1, as in Chainer: `prob` in the probability, `log_prob` in its logarithm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.graph import Variable, as_variable
from renga_nn import distributions as d
from renga_nn.functions import log, where

__all__ = ["ADDITIONS"]

Draw = Callable[[Any, tuple[int, ...]], Any]
"""Function of a distribution and the sample shape; returns an array or a Variable."""


def _choose(p: Variable, shape: tuple[int, ...]) -> Any:
    """Draw class indices, one row of probabilities at a time."""
    rows = p.array.reshape(-1, p.shape[-1])
    return np.stack([np.random.choice(len(row), shape[0], p=row) for row in rows], axis=1).reshape(shape)


def _dirichlet(self: Any, shape: tuple[int, ...]) -> Any:
    rows = self.alpha.array.reshape(-1, self.alpha.shape[-1])
    return np.stack([np.random.dirichlet(row, shape[0]) for row in rows], axis=1).reshape(*shape, -1)


_DRAWS: dict[type, tuple[str, Draw]] = {
    d.Bernoulli: ("p", lambda self, shape: np.random.binomial(1, self.p.array, shape)),
    d.Beta: ("a", lambda self, shape: np.random.beta(self.a.array, self.b.array, shape).astype(self.a.dtype)),
    d.Categorical: ("p", lambda self, shape: _choose(self.p, shape)),
    d.Cauchy: (
        "loc",
        lambda self, shape: self.scale * np.random.standard_cauchy(shape).astype(self.loc.dtype) + self.loc,
    ),
    d.Chisquare: ("k", lambda self, shape: np.random.chisquare(self.k.array, shape).astype(self.k.dtype)),
    d.Dirichlet: ("alpha", lambda self, shape: _dirichlet(self, shape).astype(self.alpha.dtype)),
    d.Gamma: ("k", lambda self, shape: self.theta * np.random.gamma(self.k.array, size=shape).astype(self.k.dtype)),
    d.Laplace: (
        "loc",
        lambda self, shape: self.scale * np.random.laplace(size=shape).astype(self.loc.dtype) + self.loc,
    ),
    d.OneHotCategorical: (
        "p",
        lambda self, shape: np.eye(self.p.shape[-1], dtype=self.p.dtype)[_choose(self.p, shape)],
    ),
    d.Poisson: ("lam", lambda self, shape: np.random.poisson(self.lam.array, shape).astype(np.float32)),
}
"""For each distribution: the parameter that determines the library, and the function that draws."""


def _sampler(cls: type, parameter: str, draw: Draw) -> Callable[[Any, int], Variable]:
    before = cls.sample_n  # type: ignore[attr-defined]  # a distribution

    def sample_n(self: Any, n: int) -> Variable:
        """Draw a sample as Chainer does on the CPU."""
        if getattr(self, parameter).xp is not np:
            found: Variable = before(self, n)
            return found
        return as_variable(draw(self, (n, *self.batch_shape)))

    return sample_n


def _linear_prob(self: d.Bernoulli, x: Any) -> Variable:
    """``x p + (1 - x) (1 - p)``; with `binary_check`, 0 if x is neither 0 nor 1."""
    at = self._points("prob", x)
    prob = at * self.p + (1 - at) * (1 - self.p)
    return where((at.array == 0) | (at.array == 1), prob, 0) if self.binary_check else prob


_log_prob = d.Bernoulli._log_prob


def _log_prob_of_the_certain(self: d.Bernoulli, x: Variable) -> Variable:
    """Like Renga's; if p is 0 or 1, the logarithm of `prob`, also for x between 0 and 1."""
    certain = (self.p.array == 0) | (self.p.array == 1)
    return where(certain, log(_linear_prob(self, x)), _log_prob(self, x)) if certain.any() else _log_prob(self, x)


ADDITIONS: list[tuple[type, str, Any]] = [
    (d.Bernoulli, "prob", _linear_prob),
    (d.Bernoulli, "_log_prob", _log_prob_of_the_certain),
    *[(cls, "sample_n", _sampler(cls, parameter, draw)) for cls, (parameter, draw) in _DRAWS.items()],
]
