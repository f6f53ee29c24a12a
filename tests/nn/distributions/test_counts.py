from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from renga_core import random
from renga_core.backend import to_host
from renga_nn.distributions import Geometric, Poisson, kl_divergence
from renga_testing.distribution_suite import FUNCTIONS, DistributionSuite


class Count(DistributionSuite):
    discrete = True
    reparametrised = False

    kl_divergence = staticmethod(kl_divergence)


class TestGeometric(Count):
    distribution = Geometric
    parameters = {"p": [0.05, 0.3, 0.9]}
    other = {"p": [[0.5], [0.1]]}
    inside = [1, 2, 7, 30]
    outside = [0, -2, 1.5]
    support = "positive integer"
    missing = ("covariance", "icdf")
    unlike = {
        "mode": lambda p: 1 + 0 * p,
        "entropy": lambda p: -((1 - p) * np.log(1 - p) + p * np.log(p)) / p,
    }

    def reference(self, p):
        return stats.geom(p)


class TestPoisson(Count):
    distribution = Poisson
    parameters = {"lam": [[0.3, 4.0, 9.9], [10.0, 37.5, 120.0]]}
    other = {"lam": [0.9, 12.0, 20.0]}
    inside = [0, 1, 7, 30]
    outside = [-2, 1.5]
    support = "non negative integer"
    missing = ("covariance", "entropy", *FUNCTIONS)
    unlike = {"mode": lambda lam: np.floor(lam)}

    def reference(self, lam):
        return stats.poisson(lam)


def test_sure_success():
    d = Geometric(np.array([1.0, 0.5]))
    np.testing.assert_allclose(to_host(d.log_prob(np.array([[1], [2]]))), [[0, np.log(0.5)], [-np.inf, np.log(0.25)]])
    np.testing.assert_allclose(to_host(d.cdf(np.array([[0], [1]]))), [[0, 0], [1, 0.5]])
    np.testing.assert_allclose(to_host(d.entropy), [0, np.log(4)])
    assert (to_host(d.sample(20))[:, 0] == 1).all()


def test_nothing_ever_happens():
    d = Poisson(np.array([0.0, 1.0]))
    np.testing.assert_allclose(to_host(d.log_prob(np.array([[0], [1]]))), [[0, -1], [-np.inf, -1]])
    assert (to_host(d.sample(20))[:, 0] == 0).all()
    np.testing.assert_allclose(to_host(kl_divergence(d, Poisson(np.array([2.0, 0.0])))), [2, np.inf])


@pytest.mark.parametrize("lam", [0.01, 9.99, 10.0, 1e3, 1e8])
def test_moments_of_draws(lam):
    random.seed(4)
    draws = to_host(Poisson(np.array(lam)).sample(20_000))
    assert abs(draws.mean() - lam) < 5 * np.sqrt(lam / 20_000)
    assert abs(draws.var() - lam) < 5 * np.sqrt((lam + 2 * lam**2) / 20_000)
    assert (draws == np.floor(draws)).all()


@pytest.mark.parametrize("lam", [-0.5, np.nan, np.inf])
def test_no_mean(lam):
    with pytest.raises(ValueError, match="Poisson: to draw samples, lam must be 0 or positive, and finite"):
        Poisson(np.array([1.0, lam])).sample()
