from __future__ import annotations

import numpy as np
import pytest

import renga
from renga_core.backend import to_host
from renga_nn import distributions
from renga_nn.distributions import (
    Bernoulli,
    Distribution,
    Exponential,
    Gamma,
    Normal,
    Poisson,
    cross_entropy,
    kl,
    kl_divergence,
    register_kl,
)


class Wide(Normal):
    pass


@pytest.fixture(autouse=True)
def _leave_the_table(monkeypatch):
    monkeypatch.setattr(kl, "_FORMULAS", dict(kl._FORMULAS))


@pytest.mark.parametrize("name", [n for n in distributions.__all__ if n[0].isupper() and n != "Distribution"])
def test_there_is_a_formula_for_two_of_each(name):
    kind = getattr(distributions, name)
    assert (kind, kind) in kl._FORMULAS


def test_of_classes_that_derive():
    one, two = Wide(np.zeros(2), 1.0), Normal(np.ones(2), 1.0)
    for first, second in ((one, two), (two, one), (one, Wide(np.ones(2), 1.0))):
        np.testing.assert_allclose(to_host(kl_divergence(first, second)), [0.5, 0.5])


def test_the_nearest_class_counts():
    @register_kl(Wide, Normal)
    def formula(dist1, dist2):
        return "special"

    one, two = Wide(np.zeros(2), 1.0), Normal(np.ones(2), 1.0)
    assert kl_divergence(one, two) == "special"
    assert kl_divergence(one, Wide(np.zeros(2), 1.0)) == "special"
    assert not isinstance(kl_divergence(two, one), str)
    assert formula(one, two) == "special"


def test_a_new_pair():
    @register_kl(Exponential, Gamma)
    def _(dist1, dist2):
        return kl_divergence(Gamma(1.0, 1 / dist1.lam), dist2)

    y = kl_divergence(Exponential(np.array([2.0])), Gamma(np.array([1.0]), 0.5))
    np.testing.assert_allclose(to_host(y), [0], atol=1e-15)


def test_no_formula():
    with pytest.raises(NotImplementedError, match="no formula for Normal and Poisson"):
        kl_divergence(Normal(np.zeros(1), 1.0), Poisson(np.ones(1)))


def test_batches_broadcast():
    y = kl_divergence(Normal(np.zeros((2, 1)), 1.0), Normal(np.zeros(3), 2.0))
    assert y.shape == (2, 3)


def test_cross_entropy():
    p, q = np.array([0.2, 0.9]), np.array([0.5, 0.6])
    y = cross_entropy(Bernoulli(p), Bernoulli(q))
    np.testing.assert_allclose(to_host(y), -p * np.log(q) - (1 - p) * np.log(1 - q), 1e-12)


def test_the_face():
    assert renga.Distribution is Distribution
    assert renga.kl_divergence is kl_divergence
    assert renga.cross_entropy is cross_entropy
    assert renga.register_kl is register_kl
    assert renga.distributions.Normal is Normal
