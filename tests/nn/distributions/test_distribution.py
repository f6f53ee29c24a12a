from __future__ import annotations

import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.graph import Variable
from renga_nn.distributions import Distribution

MEMBERS = ("params", "batch_shape", "event_shape", "support", "mean", "variance", "stddev", "mode", "entropy")
FUNCTIONS = ("log_prob", "prob", "cdf", "icdf", "log_cdf", "survival_function", "log_survival_function", "perplexity")


class Nothing(Distribution):
    pass


@pytest.mark.parametrize("member", MEMBERS)
def test_what_is_not_defined(member):
    with pytest.raises(NotImplementedError, match=r"Nothing\.\w+: there is no closed form"):
        getattr(Nothing(), member)


@pytest.mark.parametrize("member", FUNCTIONS)
def test_functions_that_are_not_defined(member):
    with pytest.raises(NotImplementedError, match=r"Nothing\.\w+: there is no closed form"):
        getattr(Nothing(), member)(np.zeros(1))


class Certain(Distribution):
    """A user's: always the same vector."""

    def __init__(self, value):
        self.value = value

    params = property(lambda self: {"value": self.value})
    batch_shape = ()
    event_shape = (2,)
    variance = property(lambda self: self.value * 0 + 4)

    def log_prob(self, x):
        return ((x == self.value.array).all(axis=-1) - 1) * Variable(np.array(1e9))

    def cdf(self, x):
        return Variable((x >= self.value.array).all(axis=-1).astype("float64"))

    def sample_n(self, n):
        return Variable(np.broadcast_to(self.value.array, (n, 2)))


def test_what_follows_from_other_members():
    d = Certain(Variable(np.array([1.0, 2.0])))
    x = np.array([[1.0, 2.0], [1.0, 1.0]])
    np.testing.assert_array_equal(to_host(d.prob(x)), [1, 0])
    np.testing.assert_array_equal(to_host(d.log_cdf(x)), [0, -np.inf])
    np.testing.assert_array_equal(to_host(d.survival_function(x)), [0, 1])
    np.testing.assert_array_equal(to_host(d.log_survival_function(x)), [-np.inf, 0])
    np.testing.assert_array_equal(to_host(d.stddev), [2, 2])
    assert d.sample((3, 4)).shape == (3, 4, 2)
    assert d.sample().shape == (2,)
    assert d.xp is np
    with pytest.raises(NotImplementedError, match=r"Certain\.covariance: there is no closed form"):
        d.covariance.array.sum()


def test_covariance_of_numbers():
    class Number(Nothing):
        event_shape = ()

    with pytest.raises(NotImplementedError, match=r"Number\.covariance: samples are not vectors: use variance"):
        Number().covariance.array.sum()
