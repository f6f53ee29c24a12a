"""bernoulli_nll, gaussian_nll, gaussian_kl_divergence."""

import numpy as np
import pytest
import scipy.stats

from renga_core.graph import InvalidType
from renga_nn.functions import bernoulli_nll, gaussian_kl_divergence, gaussian_nll
from renga_testing.function_suite import FunctionSuite


class Reduced(FunctionSuite):
    cases = {
        "summed": {"options": {}},
        "mean": {"options": {"reduce": "mean"}},
        "not reduced": {"options": {"reduce": "no"}},
    }
    inputs = 2

    def make_inputs(self, rng, dtype):
        return tuple(rng.uniform(-1.5, 1.5, (4, 3)).astype(dtype) for _ in range(self.inputs))

    def reference(self, *arrays):
        loss = self.loss(*arrays)
        if self.options == {"reduce": "mean"}:
            return loss.sum() / max(loss.size, 1)
        return loss if self.options else loss.sum()

    def empty_inputs(self, dtype):
        return tuple(np.zeros((0, 3), dtype) for _ in range(self.inputs))


class TestBernoulliNLL(Reduced):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("bernoulli_nll", "y", "(2,)", "(3,)")),
        "integers": ((np.zeros(2, int), np.zeros(2)), InvalidType, ("bernoulli_nll", "x", "floating")),
    }

    def make_inputs(self, rng, dtype):
        return rng.uniform(0, 1, (4, 3)).astype(dtype), rng.uniform(-3, 3, (4, 3)).astype(dtype)

    def call(self, x, y):
        return bernoulli_nll(x, y, **self.options)

    def loss(self, x, y):
        p = 1 / (1 + np.exp(-y))
        return -x * np.log(p) - (1 - x) * np.log(1 - p)


class TestGaussianNLL(Reduced):
    inputs = 3
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(2), np.zeros(3)), InvalidType, ("gaussian_nll", "ln_var", "(2,)", "(3,)")),
        "dtypes": ((np.zeros(2), np.zeros(2, "f"), np.zeros(2)), InvalidType, ("gaussian_nll", "mean", "float32")),
    }

    def call(self, x, mean, ln_var):
        return gaussian_nll(x, mean, ln_var, **self.options)

    def loss(self, x, mean, ln_var):
        return -scipy.stats.norm.logpdf(x, mean, np.exp(ln_var / 2))


class TestGaussianKLDivergence(Reduced):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("gaussian_kl_divergence", "ln_var", "(2,)", "(3,)")),
        "list": (([0.0], np.zeros(1)), InvalidType, ("gaussian_kl_divergence", "mean", "an array", "list")),
    }

    def call(self, mean, ln_var):
        return gaussian_kl_divergence(mean, ln_var, **self.options)

    def loss(self, mean, ln_var):
        # The cross entropy with the standard distribution, whose logarithm is a parabola, less the own entropy.
        scale = np.exp(ln_var / 2)
        crossed = 0.5 * np.log(2 * np.pi) + 0.5 * scipy.stats.norm(mean, scale).moment(2)
        return crossed - scipy.stats.norm(mean, scale).entropy()


def test_large_scores_do_not_overflow():
    x, y = np.array([0, 1, 0], "f2"), np.array([60000, 60000, -60000], "f2")
    assert bernoulli_nll(x, y, reduce="no").array.tolist() == [60000, 0, 0]


def test_squares_in_half_precision_do_not_overflow():
    x = np.array([300], "f2")
    assert gaussian_kl_divergence(x, np.zeros(1, "f2")).item() == pytest.approx(45000, rel=1e-3)
    assert gaussian_nll(x, np.zeros(1, "f2"), np.zeros(1, "f2")).item() == pytest.approx(45000, rel=1e-3)


@pytest.mark.parametrize(("function", "inputs"), [(bernoulli_nll, 2), (gaussian_nll, 3), (gaussian_kl_divergence, 2)])
def test_words(function, inputs):
    with pytest.raises(ValueError, match=f"{function.__name__}: reduce is 'max'; choose from 'sum', 'mean', 'no'"):
        function(*[np.zeros(2)] * inputs, reduce="max")
