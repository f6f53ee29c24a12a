from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from renga_core.backend import to_host
from renga_nn.distributions import Cauchy, Gumbel, Laplace, Uniform, kl_divergence
from renga_testing.distribution_suite import DistributionSuite


class LocationScale(DistributionSuite):
    parameters = {"loc": [[0.0], [-1.5]], "scale": [0.5, 1.0, 3.0]}
    other = {"loc": [1.0, 0.0, 2.0], "scale": [[2.0], [0.7]]}
    inside = [-7.0, -1.0, 0.5, 25.0]
    support = "real"
    unlike = {"mode": lambda loc, scale: loc + 0 * scale}

    kl_divergence = staticmethod(kl_divergence)


class TestCauchy(LocationScale):
    distribution = Cauchy
    inside = [-1e9, -7.0, -1.0, 0.5, 25.0]
    unlike = {
        **LocationScale.unlike,
        "mean": lambda loc, scale: np.nan,
        "variance": lambda loc, scale: np.nan,
        "stddev": lambda loc, scale: np.nan,
    }

    def reference(self, loc, scale):
        return stats.cauchy(loc, scale)


class TestGumbel(LocationScale):
    distribution = Gumbel

    def reference(self, loc, scale):
        return stats.gumbel_r(loc, scale)


class TestLaplace(LocationScale):
    distribution = Laplace
    inside = [-300.0, -7.0, -1.0, 0.5, 25.0]

    def reference(self, loc, scale):
        return stats.laplace(loc, scale)


class TestUniform(DistributionSuite):
    distribution = Uniform
    parameters = {"low": [[-1.0], [0.0]], "high": [2.0, 3.0]}
    other = {"low": [[-1.5], [-0.5]], "high": [2.0, 3.5]}
    inside = [0.0, 0.3, 1.5]
    outside = [-1.5, 3.1]
    support = "[low, high]"
    missing = ("covariance", "mode")

    def reference(self, low, high):
        return stats.uniform(low, high - low)

    kl_divergence = staticmethod(kl_divergence)


class TestUniformByLength(TestUniform):
    parameters = {"loc": [[-1.0], [0.0]], "scale": [2.0, 3.0]}
    other = {"loc": [[-1.5], [-0.5]], "scale": [2.5, 4.0]}
    inside = [0.0, 0.3, 0.9]

    def reference(self, loc, scale):
        return stats.uniform(loc, scale)


def test_divergence_to_a_uniform_distribution_that_lacks_something():
    one = Uniform(np.zeros(3), np.ones(3))
    y = kl_divergence(one, Uniform(np.array([0.1, 0.0, 0.0]), np.array([1.0, 0.9, 2.0])))
    np.testing.assert_allclose(to_host(y), [np.inf, np.inf, np.log(2)])


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ({}, "none of them"),
        ({"low": 0}, "low"),
        ({"low": 0, "scale": 1}, "low and scale"),
        ({"low": 0, "high": 1, "loc": 0}, "low and high and loc"),
        ({"low": 0, "high": 1, "loc": 0, "scale": 1}, "low and high and loc and scale"),
    ],
)
def test_a_pair_is_needed(given, got):
    with pytest.raises(ValueError, match=f"Uniform: give either low and high or loc and scale; got {got}$"):
        Uniform(**given)


def test_likely_ends():
    """Points that inverses of the distribution functions have at the ends, and signs of what is at 0."""
    half = np.array([0.0, 0.5, 1.0])
    for kind in (Cauchy, Gumbel, Laplace):
        y = to_host(kind(np.zeros(()), np.ones(())).icdf(half))
        assert y[0] == -np.inf
        assert np.isfinite(y[1])
        assert y[2] == np.inf
