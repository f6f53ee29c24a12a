from __future__ import annotations

import numpy as np
import pytest

from renga_core.backend import to_host
from renga_nn.distributions import (
    Bernoulli,
    Categorical,
    Cauchy,
    Exponential,
    Geometric,
    Gumbel,
    Laplace,
    LogNormal,
    Normal,
    OneHotCategorical,
    Pareto,
    Poisson,
    Uniform,
    sampling,
)

ONE = np.ones(3, "float32")
MADE = [
    Bernoulli(ONE / 2),
    Categorical(np.array([0, 0.5, 0.5, 0], "float32")),
    Cauchy(ONE, ONE),
    Exponential(ONE),
    Geometric(ONE / 2),
    Gumbel(ONE, ONE),
    Laplace(ONE, ONE),
    LogNormal(ONE, ONE),
    Normal(ONE, ONE),
    OneHotCategorical(np.array([0, 0.5, 0.5, 0], "float32")),
    Pareto(ONE, ONE),
    Poisson(9 * ONE),
    Uniform(ONE, 2 * ONE),
]


class End:
    """A generator all of whose uniform numbers are the same one."""

    def __init__(self, value):
        self.value = value

    def random(self, size, dtype="float64"):
        return np.full(size, self.value, dtype)

    def standard_normal(self, size, dtype="float64"):
        return np.zeros(size, dtype)


@pytest.mark.parametrize("uniform", [0.0, 1 - 2.0**-24], ids=["the smallest", "the largest"])
@pytest.mark.parametrize("made", MADE, ids=lambda made: type(made).__name__)
def test_ends_of_uniform_numbers(monkeypatch, made, uniform):
    """Also the smallest and the largest number that a generator draws makes a draw of the support."""
    monkeypatch.setattr(sampling, "_generator", lambda like: End(uniform))
    draws = made.sample_n(2)
    assert np.isfinite(to_host(draws)).all()
    assert np.isfinite(to_host(made.log_prob(draws))).all()


def test_as_many_random_bits_as_the_dtype_has():
    for made in (Normal(ONE, ONE), Uniform(ONE, 2 * ONE)):
        assert made.sample(5).dtype == "float32"
    assert len(np.unique(to_host(Uniform(np.zeros(2000, "float16"), np.float16(1)).sample()))) > 500


@pytest.mark.parametrize("made", [Poisson(np.zeros((0, 2))), Categorical(np.ones((0, 2)) / 2)])
def test_empty_batches(made):
    assert made.sample(3).shape == (3, *made.batch_shape)
