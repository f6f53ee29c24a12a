from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from renga_core.backend import to_host
from renga_core.graph import InvalidType, Variable
from renga_nn.distributions import Beta, Dirichlet, Independent, MultivariateNormal, Normal, kl_divergence
from renga_testing.distribution_suite import DistributionSuite


class Product:
    """Normal distributions, one for each number of a vector."""

    def __init__(self, loc, scale):
        self.each = stats.norm(loc, scale)

    def logpdf(self, x):
        return self.each.logpdf(x).sum(-1)

    def cdf(self, x):
        return self.each.cdf(x).prod(-1)

    def logcdf(self, x):
        return self.each.logcdf(x).sum(-1)

    def sf(self, x):
        return self.each.sf(x).prod(-1)

    def logsf(self, x):
        return self.each.logsf(x).sum(-1)

    def entropy(self):
        return self.each.entropy().sum(-1)

    def mean(self):
        return self.each.mean()

    def var(self):
        return self.each.var()

    def std(self):
        return self.each.std()

    def cov(self):
        variance = self.each.var()
        return variance[..., None] * np.eye(variance.shape[-1])


class Made(Independent):
    """One that is made from its parameters, as the others."""

    def __init__(self, loc, scale):
        super().__init__(Normal(loc, scale), 1)


class TestIndependent(DistributionSuite):
    distribution = Made
    parameters = {"loc": [[0.0, 1.0, 2.0], [-1.0, 0.0, 0.5]], "scale": [0.5, 1.0, 3.0]}
    other = {"loc": [0.3, 0.0, 1.0], "scale": [[1.0, 2.0, 1.0], [0.4, 1.0, 1.0]]}
    event_ndim = 1
    inside = [[0.0, 0.0, 0.0], [1.0, -3.0, 2.0], [1.0, 1.0, 0.0]]
    outside = np.zeros((0, 1, 3))
    support = "real"
    missing = ("icdf",)
    unlike = {"mode": lambda loc, scale: loc}
    kl_divergence = staticmethod(kl_divergence)

    def reference(self, loc, scale):
        return Product(loc, scale)

    def divergence(self, first, second):
        ratio, away = first["scale"] / second["scale"], (first["loc"] - second["loc"]) / second["scale"]
        return ((ratio**2 + away**2 - 1) / 2 - np.log(ratio)).sum(-1)


@pytest.mark.parametrize(
    ("taken", "batch", "event"),
    [(None, (2,), (3, 4)), (0, (2, 3, 4), ()), (1, (2, 3), (4,)), (2, (2,), (3, 4)), (3, (), (2, 3, 4))],
)
def test_shapes(taken, batch, event):
    d = Independent(Normal(np.zeros((2, 3, 4)), 1.0), taken)
    assert (d.batch_shape, d.event_shape) == (batch, event)
    x = np.ones((5, 2, 3, 4))
    for member in ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function", "perplexity"):
        assert getattr(d, member)(x).shape == (5, *batch)
    assert d.entropy.shape == batch
    assert d.sample((6,)).shape == (6, 2, 3, 4)
    size = int(np.prod(event))
    np.testing.assert_array_equal(to_host(d.covariance), np.broadcast_to(np.eye(size), (*batch, size, size)))
    assert to_host(d.prob(x)) == pytest.approx(np.full((5, *batch), stats.norm.pdf(1) ** size))


def test_one_batch_axis_stays_by_default():
    assert Independent(Normal(np.zeros(3), 1.0)).batch_shape == (3,)
    assert Independent(Normal(np.zeros(()), 1.0)).event_shape == ()


@pytest.mark.parametrize("taken", [-1, 3])
def test_axes_that_are_not_there(taken):
    with pytest.raises(ValueError, match=rf"reinterpreted_batch_ndims is {taken}; the batch shape of Normal is \(2, 3"):
        Independent(Normal(np.zeros((2, 3)), 1.0), taken)


def test_of_vectors():
    """Blocks of covariances along the diagonal; axes of the vectors stay last."""
    roots = np.array([[[1.0, 0.0], [2.0, 1.0]], [[3.0, 0.0], [0.5, 2.0]]])
    d = Independent(MultivariateNormal(np.zeros((2, 2)), scale_tril=roots), 1)
    assert (d.batch_shape, d.event_shape) == ((), (2, 2))
    expected = np.zeros((4, 4))
    for i, root in enumerate(roots):
        expected[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = root @ root.T
    np.testing.assert_allclose(to_host(d.covariance), expected)
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    flat = stats.multivariate_normal(np.zeros(4), expected)
    np.testing.assert_allclose(to_host(d.log_prob(x)), flat.logpdf(x.ravel()))
    np.testing.assert_allclose(to_host(d.entropy), flat.entropy())


def test_gradients_reach_the_parameters():
    loc = Variable(np.zeros((2, 3)))
    Independent(Normal(loc, 1.0)).log_prob(np.ones((2, 3))).sum().backward()
    np.testing.assert_allclose(loc.grad, np.ones((2, 3)))


def test_divergence_between_different_shapes():
    d = Independent(Normal(np.zeros((2, 3)), 1.0))
    for other in (Independent(Normal(np.zeros((2, 4)), 1.0)), Independent(Normal(np.zeros((2, 3)), 1.0), 2)):
        with pytest.raises(InvalidType, match=r"kl_divergence: dist2: expected .*axes of dist1: \(3,\)"):
            kl_divergence(d, other)


def test_divergence_of_vectors():
    a, b = np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 1.0]]), np.array([[2.0, 2.0, 2.0], [1.0, 0.5, 1.0]])
    each = kl_divergence(Dirichlet(a), Dirichlet(b))
    together = kl_divergence(Independent(Dirichlet(a), 1), Independent(Dirichlet(b), 1))
    np.testing.assert_allclose(to_host(together), to_host(each).sum())


def test_what_the_distribution_lacks():
    d = Independent(Beta(np.ones((2, 3)), 1.0))
    with pytest.raises(NotImplementedError, match=r"Beta\.cdf: there is no closed form"):
        d.cdf(np.ones((2, 3)))
    with pytest.raises(NotImplementedError, match=r"Independent\.icdf: cdf is a function of several numbers"):
        d.icdf(np.ones((2, 3)))
