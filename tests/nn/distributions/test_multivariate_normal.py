from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from renga_core.backend import to_host
from renga_core.graph import InvalidType, Variable
from renga_nn.distributions import Independent, MultivariateNormal, Normal, kl_divergence
from renga_testing.distribution_suite import FUNCTIONS, DistributionSuite

L = [[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-1.0, 0.3, 0.7]]


class Many:
    """SciPy's takes one mean and covariance."""

    def __init__(self, loc, scale_tril):
        batch = np.broadcast_shapes(loc.shape[:-1], scale_tril.shape[:-2])
        self.loc = np.broadcast_to(loc, (*batch, loc.shape[-1]))
        scale = np.broadcast_to(scale_tril, (*batch, *scale_tril.shape[-2:]))
        self.covariance = scale @ np.swapaxes(scale, -1, -2)
        self.batch = batch

    def each(self, call):
        found = [call(stats.multivariate_normal(self.loc[i], self.covariance[i]), i) for i in np.ndindex(self.batch)]
        return np.array(found)

    def logpdf(self, x):
        x = np.broadcast_to(x, (len(x), *self.loc.shape))
        return self.each(lambda d, i: d.logpdf(x[:, *i])).T.reshape(len(x), *self.batch)

    def entropy(self):
        return self.each(lambda d, i: d.entropy()).reshape(self.batch)

    def mean(self):
        return self.loc

    def cov(self):
        return self.covariance

    def var(self):
        return np.diagonal(self.covariance, axis1=-2, axis2=-1)

    def std(self):
        return np.sqrt(self.var())


class TestMultivariateNormal(DistributionSuite):
    distribution = staticmethod(lambda loc, scale_tril: MultivariateNormal(loc, scale_tril=scale_tril))
    parameters = {"loc": [[0.0, 1.0, 2.0], [-1.0, 0.0, 0.5]], "scale_tril": L}
    other = {"loc": [0.3, 0.0, 1.0], "scale_tril": [L, np.array(L) * [[2.0], [-1.0], [3.0]]]}
    event_ndim = 1
    inside = [[0.0, 0.0, 0.0], [1.0, -3.0, 2.0]]
    outside = np.zeros((0, 1, 3))
    support = "real"
    missing = tuple(FUNCTIONS)
    unlike = {"mode": lambda loc, scale_tril: loc}
    kl_divergence = staticmethod(kl_divergence)

    def reference(self, loc, scale_tril):
        return Many(loc, scale_tril)

    def divergence(self, first, second):
        p, q = Many(**first), Many(**second)
        inverse = np.linalg.inv(q.covariance)
        away = q.loc - p.loc
        trace = np.trace(inverse @ p.covariance, axis1=-2, axis2=-1)
        distance = np.einsum("...i,...ij,...j", away, inverse, away)
        logs = np.linalg.slogdet(q.covariance)[1] - np.linalg.slogdet(p.covariance)[1]
        return (trace + distance - 3 + logs) / 2


def test_of_independent_numbers():
    """A diagonal matrix makes what independent normal distributions make."""
    loc, scale = np.array([0.5, -1.0]), np.array([2.0, 0.3])
    vector, numbers = MultivariateNormal(loc, scale_tril=np.diag(scale)), Independent(Normal(loc, scale), 1)
    x = np.array([1.0, -0.5])
    for member in ("mean", "variance", "covariance", "entropy"):
        np.testing.assert_allclose(to_host(getattr(vector, member)), to_host(getattr(numbers, member)), 1e-12)
    np.testing.assert_allclose(to_host(vector.log_prob(x)), to_host(numbers.log_prob(x)), 1e-12)


def test_above_the_diagonal_nothing_is_read():
    full = Variable(np.array(L) + np.triu(np.ones((3, 3)), 1))
    d = MultivariateNormal(np.zeros(3), scale_tril=full)
    np.testing.assert_allclose(to_host(d.covariance), np.array(L) @ np.array(L).T)
    d.log_prob(np.ones(3)).backward()
    assert (np.triu(full.grad, 1) == 0).all()


def test_arguments():
    with pytest.raises(ValueError, match="MultivariateNormal: give scale_tril"):
        MultivariateNormal(np.zeros(3))
    for wrong in (np.eye(2), np.ones((3, 2)), np.ones((2, 3))):
        with pytest.raises(InvalidType, match=r"MultivariateNormal: scale_tril: expected matrices \(3, 3\) to fit loc"):
            MultivariateNormal(np.zeros(3), scale_tril=wrong)
    with pytest.raises(InvalidType, match="MultivariateNormal: scale_tril: expected at least 2 axes"):
        MultivariateNormal(np.zeros(3), scale_tril=np.ones(3))
    d = MultivariateNormal(np.zeros(3), scale_tril=np.eye(3))
    for x in (np.zeros(2), np.zeros((3, 1)), np.zeros(())):
        with pytest.raises(
            InvalidType, match=r"log_prob: x: expected a shape that broadcasts with \(\), followed by \(3,\),"
        ):
            d.log_prob(x)
