from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from renga_core.backend import to_host
from renga_core.graph import InvalidType
from renga_nn.distributions import LogNormal, Normal, kl_divergence
from renga_testing.distribution_suite import DistributionSuite


class TestNormal(DistributionSuite):
    distribution = Normal
    parameters = {"loc": [[0.0], [-1.5]], "scale": [0.5, 1.0, 3.0]}
    other = {"loc": [1.0, 0.0, 2.0], "scale": [[2.0], [0.7]]}
    inside = [-30.0, -1.0, 0.5, 25.0]
    support = "real"
    unlike = {"mode": lambda loc, scale: loc + 0 * scale}
    bad_inputs = {
        "integers": ((np.arange(3), np.ones(3)), InvalidType, ["Normal", "loc", "floating", "int64 (3,)"]),
        "dtypes": ((np.ones(3), np.ones(3, "float32")), InvalidType, ["Normal", "scale", "float32", "float64"]),
        "shapes": ((np.ones(3), np.ones(2)), InvalidType, ["Normal", "loc, scale", "broadcast", "(3,)", "(2,)"]),
        "no scale": ((np.ones(3),), ValueError, ["Normal", "scale or log_scale", "none"]),
        "a list": (([1.0], [1.0]), InvalidType, ["Normal", "loc", "list"]),
    }

    def reference(self, loc, scale):
        return stats.norm(loc, scale)

    kl_divergence = staticmethod(kl_divergence)


class TestNormalByLogScale(TestNormal):
    parameters = {"loc": [[0.0], [-1.5]], "log_scale": [-0.5, 0.0, 1.0]}
    other = {"loc": [1.0, 0.0, 2.0], "log_scale": [[0.7], [-0.4]]}
    unlike = {"mode": lambda loc, log_scale: loc + 0 * log_scale}
    bad_inputs = {}

    def reference(self, loc, log_scale):
        return stats.norm(loc, np.exp(log_scale))


class TestLogNormal(DistributionSuite):
    distribution = LogNormal
    parameters = {"mu": [[0.0], [-1.5]], "sigma": [0.5, 1.0]}
    other = {"mu": [1.0, 0.0], "sigma": [[2.0], [0.7]]}
    inside = [1e-3, 0.3, 2.0, 25.0]
    outside = [0.0, -3.0]
    support = "positive"
    unlike = {"mode": lambda mu, sigma: np.exp(mu - sigma**2)}

    def reference(self, mu, sigma):
        return stats.lognorm(sigma, scale=np.exp(mu))

    kl_divergence = staticmethod(kl_divergence)


def test_both_scales():
    with pytest.raises(ValueError, match="Normal: give either scale or log_scale; got scale and log_scale"):
        Normal(np.zeros(1), np.ones(1), log_scale=np.zeros(1))


def test_numbers_take_the_dtype_of_the_others():
    d = Normal(np.zeros((2, 3), "float32"), 2)
    assert d.scale.dtype == d.sample().dtype == "float32"
    assert d.batch_shape == (2, 3)
    assert to_host(d.log_prob(0.0)).shape == (2, 3)


def test_numbers_alone_are_of_the_configured_dtype():
    d = Normal(0, 1.5)
    assert d.loc.dtype == "float32"
    assert d.batch_shape == ()
    assert d.sample((2,)).shape == (2,)


def test_points_that_do_not_fit():
    with pytest.raises(InvalidType, match=r"Normal.log_prob: x: expected a shape that broadcasts with \(3,\)"):
        Normal(np.zeros(3), 1).log_prob(np.zeros(2))
    with pytest.raises(InvalidType, match=r"Normal.cdf: x: expected a Variable or an array, got list"):
        Normal(np.zeros(3), 1).cdf([0.0])
