"""`distribution_unittest` passes a distribution that SciPy's is like, and fails one that it is not like."""

import unittest

import numpy as np
import pytest

import renga.testing
from renga_nn.distributions import MultivariateNormal, Normal, Poisson

stats = pytest.importorskip("scipy.stats")

ALL = {
    "batch_shape",
    "cdf",
    "entropy",
    "event_shape",
    "icdf",
    "log_cdf",
    "log_prob",
    "log_survival",
    "mean",
    "prob",
    "sample",
    "stddev",
    "support",
    "survival",
    "variance",
}


class OfNormal(renga.testing.distribution_unittest):
    __test__ = False
    wrong = 0.0

    def setUp_configure(self):
        self.dist, self.scipy_dist = Normal, stats.norm
        self.test_targets = ALL
        loc = np.random.default_rng(0).uniform(-1, 1, self.shape)
        scale = np.random.default_rng(1).uniform(0.5, 1, self.shape)
        self.params = {"loc": loc, "scale": scale}
        self.scipy_params = {"loc": loc + self.wrong, "scale": scale * (1 + self.wrong)}

    def sample_for_test(self):
        return np.random.default_rng(2).normal(size=self.sample_shape + self.shape)


@renga.testing.parameterize(
    {"shape": (2, 3), "is_variable": True, "sample_shape": (4,)},
    {"shape": (), "is_variable": False, "sample_shape": ()},
)
@renga.testing.fix_random()
class TestNormal(OfNormal):
    pass


@renga.testing.parameterize({"shape": (2, 3), "sample_shape": (4,)}, {"shape": (), "sample_shape": ()})
@renga.testing.fix_random()
class TestNormalOneByOne(OfNormal):
    scipy_onebyone = True


@renga.testing.fix_random()
class TestPoisson(renga.testing.distribution_unittest):
    continuous = False
    shape, sample_shape = (3,), (2,)
    support = "non negative integer"

    def setUp_configure(self):
        self.dist, self.scipy_dist = Poisson, stats.poisson
        self.test_targets = {"batch_shape", "event_shape", "log_prob", "mean", "prob", "sample", "support", "variance"}
        lam = np.array([0.5, 2.0, 4.0])
        self.params, self.scipy_params = {"lam": lam}, {"mu": lam}

    def sample_for_test(self):
        return np.array([[0, 1, 2], [3, 4, 5]], "f8")


@renga.testing.fix_random()
class TestMultivariateNormal(renga.testing.distribution_unittest):
    scipy_onebyone = True
    shape, event_shape, sample_shape = (2,), (3,), (4,)

    def setUp_configure(self):
        self.dist, self.scipy_dist = MultivariateNormal, stats.multivariate_normal
        self.test_targets = {"batch_shape", "event_shape", "log_prob", "sample"}
        loc = np.arange(6.0).reshape(2, 3)
        scale = np.eye(3) + np.tril(np.full((2, 3, 3), 0.5))
        self.params = {"loc": loc, "scale_tril": scale}
        self.scipy_params = {"mean": loc, "cov": scale @ scale.swapaxes(1, 2)}

    def sample_for_test(self):
        return np.random.default_rng(3).normal(size=(4, 2, 3))


def test_another_distribution_fails():
    @renga.testing.fix_random()
    class Case(OfNormal):
        __test__ = False
        shape, wrong = (3,), 0.2

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    failed = {test._testMethodName.removeprefix("test_").removesuffix("_cpu") for test, _ in result.failures}
    assert not result.errors
    assert failed == ALL - {"batch_shape", "event_shape", "support"}


def test_a_target_that_is_none():
    class Case(OfNormal):
        __test__ = False

        def setUp_configure(self):
            super().setUp_configure()
            self.test_targets = {"median"}

    result = unittest.TestResult()
    Case("test_mean_cpu").run(result)
    ((_, text),) = result.errors
    assert "test_targets: unknown ['median']; choose from" in text
