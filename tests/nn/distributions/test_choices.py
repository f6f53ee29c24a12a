from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from renga_core import random
from renga_core.backend import to_host
from renga_core.graph import InvalidType, Variable
from renga_nn.distributions import Bernoulli, Categorical, OneHotCategorical, kl_divergence
from renga_testing.distribution_suite import FUNCTIONS, DistributionSuite


class Choice(DistributionSuite):
    discrete = True
    reparametrised = False

    kl_divergence = staticmethod(kl_divergence)


class TestBernoulli(Choice):
    distribution = staticmethod(lambda p: Bernoulli(p, binary_check=True))
    parameters = {"p": [[0.1, 0.5], [0.7, 0.99]]}
    other = {"p": [0.3, 0.8]}
    inside = [0, 1]
    outside = [-1, 0.5, 2]
    support = "{0, 1}"
    missing = ("covariance", "icdf")
    sample_dtype = "int32"
    unlike = {"mode": lambda p: p > 0.5}
    bad_inputs = {"no p": ((None,), ValueError, ["Bernoulli", "p or logit"])}

    def reference(self, p):
        return stats.bernoulli(p)


class TestBernoulliByLogit(TestBernoulli):
    distribution = staticmethod(lambda logit: Bernoulli(logit=logit, binary_check=True))
    parameters = {"logit": [[-2.0, 0.0], [1.0, 30.0]]}
    other = {"logit": [0.3, 0.8]}
    unlike = {"mode": lambda logit: logit > 0}
    bad_inputs = {"no logit": ((None,), ValueError, ["Bernoulli", "p or logit"])}

    def reference(self, logit):
        return LogisticBernoulli(logit)


class LogisticBernoulli:
    """Exact where the probability is next to 1."""

    def __init__(self, logit):
        self.p, self.q = special.expit(logit), special.expit(-logit)
        self.logs = special.log_expit(-logit), special.log_expit(logit)

    def logpmf(self, x):
        return np.where(x == 0, self.logs[0], np.where(x == 1, self.logs[1], -np.inf))

    def pmf(self, x):
        return np.exp(self.logpmf(x))

    def cdf(self, x):
        return np.where(x < 0, 0, np.where(x < 1, self.q, 1))

    def sf(self, x):
        return 1 - self.cdf(x)

    def logcdf(self, x):
        return np.log(self.cdf(x))

    def logsf(self, x):
        return np.log(self.sf(x))

    def mean(self):
        return self.p

    def var(self):
        return self.p * self.q

    def std(self):
        return np.sqrt(self.p * self.q)

    def entropy(self):
        return -self.p * self.logs[1] - self.q * self.logs[0]


class Classes:
    """By hand."""

    def __init__(self, p):
        self.p = p

    def logpmf(self, x):
        return np.log(self.pmf(x))

    def pmf(self, x):
        chosen = x[..., None] == np.arange(self.p.shape[-1])
        return np.where(chosen, self.p, 0).sum(-1)

    def cdf(self, x):
        return np.where(np.arange(self.p.shape[-1]) <= x[..., None], self.p, 0).sum(-1)

    def sf(self, x):
        return np.where(np.arange(self.p.shape[-1]) > x[..., None], self.p, 0).sum(-1)

    def logcdf(self, x):
        return np.log(self.cdf(x))

    def logsf(self, x):
        return np.log(self.sf(x))

    def entropy(self):
        return stats.entropy(self.p, axis=-1)


P = [[0.2, 0.3, 0.5], [0.05, 0.85, 0.1]]
Q = [[0.6, 0.1, 0.3], [0.3, 0.3, 0.4]]


class TestCategorical(Choice):
    distribution = Categorical
    parameters = {"p": P}
    other = {"p": Q}
    inside = [[0], [1], [2]]
    outside = [[-1], [3], [0.5]]
    support = "{0, 1, ..., K - 1}"
    missing = ("covariance", "icdf", "mean", "variance", "stddev")
    sample_dtype = "int32"
    unlike = {"mode": lambda p: [2, 1]}

    def reference(self, p):
        return Classes(p)

    def divergence(self, first, second):
        return stats.entropy(first["p"], second["p"], axis=-1)


class TestCategoricalByLogit(TestCategorical):
    distribution = staticmethod(lambda logit: Categorical(logit=logit))
    parameters = {"logit": np.log(P) + [[3.0], [-2.0]]}
    other = {"logit": np.log(Q)}
    unlike = {"mode": lambda logit: [2, 1]}

    def reference(self, logit):
        return Classes(special.softmax(logit, axis=-1))

    def divergence(self, first, second):
        return stats.entropy(*[special.softmax(each["logit"], axis=-1) for each in (first, second)], axis=-1)


class Vectors(Classes):
    def pmf(self, x):
        valid = ((x == 0) | (x == 1)).all(-1) & (x.sum(-1) == 1)
        return np.where(valid, np.where(x == 1, self.p, 0).sum(-1), 0)


class TestOneHotCategorical(Choice):
    distribution = OneHotCategorical
    parameters = {"p": P}
    other = {"p": Q}
    event_ndim = 1
    inside = np.eye(3)
    outside = [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.5, 0.5, 0.0], [2.0, -1.0, 0.0]]
    support = "one-hot vectors"
    missing = tuple(FUNCTIONS)
    unlike = {
        "mode": lambda p: [[0, 0, 1], [0, 1, 0]],
        "mean": lambda p: p,
        "variance": lambda p: p * (1 - p),
        "stddev": lambda p: np.sqrt(p * (1 - p)),
        "covariance": lambda p: [np.diag(row) - np.outer(row, row) for row in p],
    }

    def reference(self, p):
        return Vectors(p)

    def divergence(self, first, second):
        return stats.entropy(first["p"], second["p"], axis=-1)


@pytest.mark.parametrize("made", [Bernoulli, Categorical])
def test_both_parameters(made):
    with pytest.raises(ValueError, match="give either p or logit; got p and logit"):
        made(np.ones(1), logit=np.ones(1))
    with pytest.raises(ValueError, match="give either p or logit; got none of them"):
        made()


def test_soft_targets():
    """Without the check, `log_prob` is linear in the point, and has a gradient by it."""
    x = Variable(np.array([0.0, 0.25, 1.0]))
    p = np.array([0.3, 0.3, 0.3])
    for d in (Bernoulli(p), Bernoulli(logit=np.log(p / (1 - p)))):
        y = d.log_prob(x)
        np.testing.assert_allclose(to_host(y), x.array * np.log(p) + (1 - x.array) * np.log(1 - p), 1e-12)
        x.cleargrad()
        y.sum().backward()
        np.testing.assert_allclose(x.grad, np.log(p / (1 - p)), 1e-12)


@pytest.mark.parametrize("given", [{"p": np.array([0.0, 1.0])}, {"logit": np.array([-np.inf, np.inf])}])
def test_sure_things(given):
    ((name, value),) = given.items()
    parameter = Variable(value)
    d = Bernoulli(**{name: parameter})
    logs = d.log_prob(np.array([[0], [1]]))
    np.testing.assert_array_equal(to_host(logs), [[0, -np.inf], [-np.inf, 0]])
    np.testing.assert_array_equal(to_host(d.entropy), [0, 0])
    np.testing.assert_array_equal(to_host(d.sample(3)), [[0, 1]] * 3)
    np.testing.assert_array_equal(to_host(kl_divergence(d, d)), [0, 0])
    np.testing.assert_array_equal(to_host(kl_divergence(d, Bernoulli(np.array([0.5, 0.0])))), [np.log(2), np.inf])
    d.log_prob(np.array([0, 1])).sum().backward()
    assert np.isfinite(parameter.grad).all()


def test_classes_that_never_come():
    p = np.array([0.0, 0.5, 0.5, 0.0])
    for d in (Categorical(p), Categorical(logit=np.where(p > 0, 0, -np.inf))):
        random.seed(0)
        assert set(to_host(d.sample(500)).tolist()) == {1, 2}
        np.testing.assert_allclose(to_host(d.log_prob(np.array([0, 1]))), [-np.inf, np.log(0.5)])
        np.testing.assert_allclose(to_host(d.entropy), np.log(2))
        np.testing.assert_allclose(to_host(kl_divergence(d, d)), 0, atol=1e-15)
        assert to_host(kl_divergence(Categorical(np.full(4, 0.25)), d)) == np.inf
    one_hot = OneHotCategorical(p)
    np.testing.assert_allclose(to_host(one_hot.entropy), np.log(2))
    assert to_host(one_hot.log_prob(np.array([1.0, 0, 0, 0]))) == -np.inf


def test_points_broadcast_with_classes():
    d = Categorical(np.array(P))
    x = np.array([[[0], [1], [2]]])
    assert d.log_prob(x).shape == (1, 3, 2)
    assert d.log_prob(2).shape == (2,)
    with pytest.raises(InvalidType, match=r"Categorical.log_prob: x: expected a shape that broadcasts with \(2,\)"):
        d.log_prob(np.zeros(3))
    with pytest.raises(InvalidType, match=r"Categorical: p: expected at least 1 axes"):
        Categorical(np.array(1.0))


def test_many_classes_in_half_precision():
    """Running sums in half precision would end at a fraction of the classes."""
    p = np.full(5000, 1 / 5000, "float16")
    draws = to_host(Categorical(p).sample(2000))
    assert draws.max() > 4900
    assert abs(draws.mean() - 2500) < 5 * 5000 / np.sqrt(12 * 2000)
