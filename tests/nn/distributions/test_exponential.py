from __future__ import annotations

import numpy as np
from scipy import stats

from renga_core.backend import to_host
from renga_core.graph import InvalidType
from renga_nn.distributions import Exponential, Pareto, kl_divergence
from renga_testing.distribution_suite import DistributionSuite


class TestExponential(DistributionSuite):
    distribution = Exponential
    parameters = {"lam": [0.5, 1.0, 4.0]}
    other = {"lam": [[1.5], [0.7]]}
    inside = [0.0, 1e-4, 0.3, 2.0, 150.0]
    outside = [-1e-3, -3.0]
    support = "positive"
    unlike = {"mode": lambda lam: 0 * lam}
    bad_inputs = {"integers": ((np.arange(3),), InvalidType, ["Exponential", "lam", "floating"])}

    def reference(self, lam):
        return stats.expon(scale=1 / lam)

    kl_divergence = staticmethod(kl_divergence)


class TestPareto(DistributionSuite):
    distribution = Pareto
    parameters = {"scale": [[0.5], [2.0]], "alpha": [2.5, 3.0, 7.0]}
    other = {"scale": [[0.4], [2.0]], "alpha": [1.0, 3.0, 3.5]}
    inside = [2.0, 2.1, 5.0, 1e4]
    outside = [0.4, -1.0]
    support = "[scale, inf]"
    unlike = {"mode": lambda scale, alpha: scale + 0 * alpha}

    def reference(self, scale, alpha):
        return stats.pareto(alpha, scale=scale)

    kl_divergence = staticmethod(kl_divergence)


class TestParetoWithoutMoments(TestPareto):
    parameters = {"scale": [[0.5], [2.0]], "alpha": [0.5, 1.0, 2.0]}

    def reference(self, scale, alpha):
        return stats.pareto(alpha, scale=scale)


def test_divergence_to_a_pareto_distribution_that_begins_later():
    y = kl_divergence(Pareto(np.array([1.0, 2.0]), 3.0), Pareto(np.array([1.5, 1.5]), 3.0))
    np.testing.assert_allclose(to_host(y), [np.inf, 3 * np.log(2 / 1.5)])
