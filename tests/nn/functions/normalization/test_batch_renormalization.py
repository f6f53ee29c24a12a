import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.normalization import (
    batch_normalization,
    batch_renormalization,
    fixed_batch_normalization,
    fixed_batch_renormalization,
)
from renga_testing.function_suite import FunctionSuite

EPS = 1e-2


def naive(x, gamma, beta, rmax, dmax, mean, var):
    axes = (0, *range(gamma.ndim + 1, x.ndim))
    wide = axes[1:] and tuple(a - 1 for a in axes[1:])
    gamma, beta, mean, var = (np.expand_dims(p, wide) if wide else p for p in (gamma, beta, mean, var))
    sigma, running = np.sqrt(x.var(axes, keepdims=True) + EPS), np.sqrt(var + EPS)
    r = np.clip(sigma / running, 1 / rmax, rmax)
    d = np.clip((x.mean(axes, keepdims=True) - mean) / running, -dmax, dmax)
    return gamma * ((x - x.mean(axes, keepdims=True)) / sigma * r + d) + beta


class TestBatchRenormalization(FunctionSuite):
    """At the limits, where the correction does not change with x; the gradient leaves it out anyway."""

    cases = {
        "scale up, mean up": {"shape": (5, 3), "kept": (3,), "limits": (1.5, 0.5), "mean": -9.0, "var": 0.1},
        "scale down, mean down": {"shape": (2, 3, 4), "kept": (3,), "limits": (2.0, 0.5), "mean": 9.0, "var": 99.0},
        "batch normalization": {"shape": (4, 3, 2), "kept": (3, 2), "limits": (1, 0), "mean": 1.0, "var": 1.0},
    }
    bad_inputs = {
        "gamma does not fit": (
            (np.ones((2, 3)), np.ones(4), np.ones(4)),
            InvalidType,
            ["batch_renormalization: gamma", "(3,)", "(4,)"],
        ),
        "mean does not fit": (
            (np.ones((2, 4)), np.ones(4), np.ones(4)),
            InvalidType,
            ["batch_renormalization: running_mean", "(4,)", "(3,)"],
        ),
        "integers": ((np.ones((2, 3), int), np.ones(3), np.ones(3)), InvalidType, ["renormalization: x", "floating"]),
        "empty batch": ((np.ones((0, 3)), np.ones(3), np.ones(3)), ValueError, ["empty batch", "(0, 3)"]),
    }
    tolerances = {"float16": 2e-2, "float32": 5e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        arrays = rng.normal(1, 2, self.shape), rng.uniform(0.5, 1.5, self.kept), rng.normal(size=self.kept)
        return tuple(a.astype(dtype) for a in arrays)

    def call(self, x, gamma, beta):
        kept = self.kept if gamma.size else gamma.shape
        mean, var = (x.xp.full(kept, v, dtype=gamma.dtype) for v in (self.mean, self.var))
        return batch_renormalization(x, gamma, beta, *self.limits, EPS, mean, var)

    def reference(self, x, gamma, beta):
        return naive(x, gamma, beta, *self.limits, np.full(gamma.shape, self.mean), np.full(gamma.shape, self.var))

    def empty_inputs(self, dtype):
        """No channels; that a batch without entries is refused is among the bad inputs."""
        channels = (0, *self.kept[1:])
        shape = self.shape[0], *channels, *self.shape[1 + len(channels) :]
        return np.zeros(shape, dtype), np.zeros(channels, dtype), np.zeros(channels, dtype)


class TestFixedBatchRenormalization(FunctionSuite):
    bad_inputs = {
        "mean does not fit": (
            (np.ones((2, 3)), np.ones(3), np.ones(3), np.ones(2), np.ones(3)),
            InvalidType,
            ["mean", "(3,)", "(2,)"],
        )
    }
    tolerances = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        return tuple(rng.uniform(0.5, 1.5, s).astype(dtype) for s in ((4, 3), (3,), (3,), (3,), (3,)))

    def call(self, *variables):
        return fixed_batch_renormalization(*variables, EPS)

    def reference(self, x, gamma, beta, mean, var):
        return gamma * (x - mean) / np.sqrt(var + EPS) + beta

    def empty_inputs(self, dtype):
        return np.ones((0, 3), dtype), *[np.ones(3, dtype) for _ in range(4)]


def problem():
    rng = np.random.default_rng(0)
    x, gamma, beta = rng.normal(1, 2, (6, 3, 2)), rng.uniform(0.5, 1.5, 3), rng.normal(size=3)
    return x, gamma, beta, rng.normal(1, 0.3, 3), rng.uniform(3, 5, 3)


def test_within_the_limits_it_normalizes_by_the_running_statistics():
    x, gamma, beta, mean, var = problem()
    y = batch_renormalization(x, gamma, beta, 10, 10, EPS, mean, var)
    np.testing.assert_allclose(y.array, fixed_batch_normalization(x, gamma, beta, mean, var, EPS).array)


def test_no_gradient_flows_through_the_correction():
    x, gamma, beta, mean, var = problem()
    gy = np.random.default_rng(1).normal(size=x.shape)
    variables = [Variable(a) for a in (x, gamma, beta)]
    y = batch_renormalization(*variables, 10, 10, EPS, mean, var)
    y.grad = gy
    y.backward()
    r = np.sqrt((x.var((0, 2)) + EPS) / (var + EPS))
    plain = Variable(x)
    z = batch_normalization(plain, gamma * r, beta, eps=EPS)
    z.grad = gy
    z.backward()
    np.testing.assert_allclose(variables[0].grad, plain.grad, atol=1e-12)
    normalized = (x - mean[:, None]) / np.sqrt(var + EPS)[:, None]
    np.testing.assert_allclose(variables[1].grad, (gy * normalized).sum((0, 2)))
    np.testing.assert_allclose(variables[2].grad, gy.sum((0, 2)))


def test_running_statistics_move_after_they_were_used_and_only_on_demand():
    x, gamma, beta, mean, var = problem()
    right = batch_renormalization(x, gamma, beta, 2, 2, EPS, mean, var, 0.75).array
    moved = mean.copy(), var.copy()
    y = batch_renormalization(x, gamma, beta, 2, 2, EPS, *moved, 0.75, update_statistics=True).array
    np.testing.assert_array_equal(y, right)
    np.testing.assert_allclose(moved[0], 0.75 * mean + 0.25 * x.mean((0, 2)))
    np.testing.assert_allclose(moved[1], 0.75 * var + 0.25 * x.var((0, 2), ddof=1))


def test_without_running_statistics_they_are_0_and_1():
    x, gamma, beta, _, _ = problem()
    y = batch_renormalization(x, gamma, beta, 1.1, 0.3, EPS).array
    # Not quite: to a variance of 1, EPS is not added.
    np.testing.assert_allclose(y, naive(x, gamma, beta, 1.1, 0.3, np.zeros(3), np.full(3, 1 - EPS)))


@pytest.mark.parametrize("limits", [(0.5, 0), (1, -1)])
def test_limits_that_make_no_sense(limits):
    with pytest.raises(ValueError, match="batch_renormalization: rmax must be at least 1 and dmax at least 0"):
        batch_renormalization(np.ones((2, 3)), np.ones(3), np.ones(3), *limits)
