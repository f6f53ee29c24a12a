from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats
from scipy.integrate import quad

from renga_core.backend import to_host
from renga_core.graph import InvalidType
from renga_nn.distributions import Beta, Chisquare, Dirichlet, Gamma, kl_divergence
from renga_testing.distribution_suite import FUNCTIONS, DistributionSuite


class Relative(DistributionSuite):
    reparametrised = False
    missing = ("covariance", *FUNCTIONS)

    kl_divergence = staticmethod(kl_divergence)


class TestGamma(Relative):
    distribution = Gamma
    parameters = {"k": [[0.5], [1.0], [4.5]], "theta": [0.5, 3.0]}
    other = {"k": [1.5, 0.8], "theta": [[2.0], [0.7], [1.0]]}
    inside = [1e-3, 0.3, 2.0, 25.0]
    outside = [-1e-3, -5.0]
    support = "positive"
    unlike = {"mode": lambda k, theta: np.maximum(k - 1, 0) * theta}

    def reference(self, k, theta):
        return stats.gamma(k, scale=theta)


class TestChisquare(Relative):
    distribution = Chisquare
    parameters = {"k": [1.0, 2.0, 7.5]}
    other = {"k": [[1.5], [5.0]]}
    inside = [1e-3, 0.3, 2.0, 25.0]
    outside = [-1e-3, -5.0]
    support = "positive"
    unlike = {"mode": lambda k: np.maximum(k - 2, 0)}

    def reference(self, k):
        return stats.chi2(k)


class TestBeta(Relative):
    distribution = Beta
    parameters = {"a": [[0.5], [1.0], [3.0]], "b": [1.0, 2.5]}
    other = {"a": [1.5, 0.8], "b": [[2.0], [0.7], [1.0]]}
    inside = [1e-3, 0.3, 0.9]
    outside = [-1e-3, 1.001, 5.0]
    support = "[0, 1]"
    unlike = {"mode": lambda a, b: [[0.0, 0.0], [np.nan, 0.0], [1.0, 2 / 3.5]]}
    bad_inputs = {"shapes": ((np.ones((2, 3)), np.ones(2)), InvalidType, ["Beta", "a, b", "broadcast"])}

    def reference(self, a, b):
        return stats.beta(a, b)


class ManyDirichlet:
    """SciPy's takes one vector of parameters."""

    def __init__(self, alpha):
        self.alpha = alpha

    def of_each(self, member, *x):
        found = [stats.dirichlet(a) for a in self.alpha.reshape(-1, self.alpha.shape[-1])]
        return np.array([getattr(d, member)(*x) for d in found]).reshape(*self.alpha.shape[:-1], -1)

    def logpdf(self, x):
        norm = special.gammaln(self.alpha.sum(-1)) - special.gammaln(self.alpha).sum(-1)
        inside = ((x >= 0) & (x <= 1)).all(-1)
        density = special.xlogy(self.alpha - 1, np.where(inside[..., None], x, 0.5)).sum(-1) + norm
        return np.where(inside, density, -np.inf)

    def mean(self):
        return self.of_each("mean")

    def var(self):
        return self.of_each("var")

    def std(self):
        return np.sqrt(self.var())

    def cov(self):
        size = self.alpha.shape[-1]
        return self.of_each("cov").reshape(*self.alpha.shape, size)

    def entropy(self):
        return self.of_each("entropy")[..., 0]


class TestDirichlet(Relative):
    distribution = Dirichlet
    parameters = {"alpha": [[0.5, 1.0, 2.0], [3.0, 1.5, 4.0]]}
    other = {"alpha": [[2.0, 0.7, 1.0], [1.0, 1.0, 3.0]]}
    event_ndim = 1
    inside = [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]
    outside = [[-0.2, 0.7, 0.5], [1.1, -0.1, 0.0]]
    support = "[0, 1]"
    missing = tuple(FUNCTIONS)
    unlike = {"mode": lambda alpha: [[np.nan] * 3, [2 / 5.5, 0.5 / 5.5, 3 / 5.5]]}

    def reference(self, alpha):
        return ManyDirichlet(alpha)

    def divergence(self, first, second):
        """The means of the logarithms, by integration over each number's beta distribution, and a constant."""
        p, q = first["alpha"], second["alpha"]
        rest = p.sum(-1, keepdims=True) - p
        # Of 1, by the weight x**a * (1 - x)**b * log(x).
        weights = zip((p - 1).flat, (rest - 1).flat, strict=True)
        means = np.array([quad(lambda x: 1.0, 0, 1, weight="alg-loga", wvar=w)[0] for w in weights])
        middle = np.full(3, 1 / 3)
        constant = ManyDirichlet(p).logpdf(middle) - ManyDirichlet(q).logpdf(middle)
        return ((p - q) * (means.reshape(p.shape) / special.beta(p, rest) - np.log(middle))).sum(-1) + constant


def test_density_of_dirichlet_is_scipys():
    alpha, x = np.array([0.5, 1.0, 2.0]), np.array([0.2, 0.3, 0.5])
    assert to_host(Dirichlet(alpha).log_prob(x)) == pytest.approx(stats.dirichlet(alpha).logpdf(x))


def test_divergence_of_dirichlet_is_the_mean_of_the_difference():
    p, q = np.array([2.0, 1.5, 3.0]), np.array([1.0, 4.0, 2.0])
    draws = np.random.default_rng(0).dirichlet(p, 200_000).T
    difference = stats.dirichlet(p).logpdf(draws) - stats.dirichlet(q).logpdf(draws)
    error = 5 * difference.std() / np.sqrt(200_000)
    assert to_host(kl_divergence(Dirichlet(p), Dirichlet(q))) == pytest.approx(difference.mean(), abs=error)
    assert to_host(kl_divergence(Dirichlet(p), Dirichlet(p))) == pytest.approx(0, abs=1e-12)


def test_divergence_of_dirichlet_with_two_classes_is_that_of_beta():
    a, b = np.array([[2.0, 0.5], [1.5, 3.0]])
    y = kl_divergence(Dirichlet(a), Dirichlet(b))
    expected = kl_divergence(Beta(a[:1], a[1:]), Beta(b[:1], b[1:]))
    np.testing.assert_allclose(to_host(y), to_host(expected)[0], 1e-12)


def test_densities_at_ends_of_the_support():
    """Finite, 0 or infinite, as SciPy has it; half of these are products of 0 and an infinite logarithm."""
    k, a, b = np.array([0.5, 1.0, 2.0]), np.array([1.0, 2.0, 0.5]), np.array([1.0, 0.5, 2.0])
    np.testing.assert_allclose(to_host(Gamma(k, 1.0).log_prob(np.zeros(3))), [np.inf, 0, -np.inf])
    np.testing.assert_allclose(to_host(Beta(a, b).log_prob(np.zeros(3))), [0, -np.inf, np.inf])
    np.testing.assert_allclose(to_host(Beta(a, b).log_prob(np.ones(3))), [0, np.inf, -np.inf])


@pytest.mark.parametrize(("a", "b", "mode"), [(0.5, 0.5, np.nan), (0.5, 0.7, np.nan), (1, 0.5, 1), (0.5, 1, 0)])
def test_mode_of_beta_without_one_inside(a, b, mode):
    np.testing.assert_equal(to_host(Beta(float(a), float(b)).mode), np.float32(mode))


def test_small_shapes_do_not_vanish():
    """Gamma draws of these are below the smallest number; their ratios are not."""
    draws = to_host(Beta(np.full(1000, 1e-3), np.full(1000, 1e-3)).sample())
    assert np.isfinite(draws).all()
    assert 350 < (draws > 0.5).sum() < 650
    vectors = to_host(Dirichlet(np.full((50, 3), 1e-4)).sample())
    np.testing.assert_allclose(vectors.sum(-1), 1)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_parameters_without_draws(value):
    bad, good = np.array([1.0, value]), np.ones(2)
    for made in (Gamma(bad, good), Chisquare(bad), Beta(bad, good), Beta(good, bad), Dirichlet(bad)):
        with pytest.raises(ValueError, match=rf"{type(made).__name__}: to draw samples, \w+ must be positive, and fin"):
            made.sample()
