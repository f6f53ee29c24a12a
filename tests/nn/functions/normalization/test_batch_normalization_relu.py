"""Against formulas in float64, and against the three functions that it replaces."""

import numpy as np
import pytest

import renga.functions as F
from renga_core.graph import InvalidType, Parameter, Variable, grad
from renga_nn.functions.normalization import batch_normalization_relu, fixed_batch_normalization_relu
from renga_testing.function_suite import FunctionSuite

EPS = 1e-2


class TestBatchNormalizationReLU(FunctionSuite):
    cases = {
        "matrix": {"shape": (5, 3)},
        "images": {"shape": (2, 3, 4, 2)},
        "channels last, residual": {"shape": (2, 4, 3), "axis": (0, 1), "residual": True},
        "images, residual": {"shape": (2, 3, 4, 2), "residual": True},
    }
    bad_inputs = {
        "gamma does not fit": (
            (np.ones((2, 3)), np.ones(4), np.ones(4)),
            InvalidType,
            ["batch_normalization_relu: gamma", "the shape (3,)"],
        ),
        "residual of another shape": (
            (np.ones((2, 3)), np.ones(3), np.ones(3), np.ones((1, 3))),
            InvalidType,
            ["batch_normalization_relu: residual", "(2, 3)", "(1, 3)"],
        ),
        "empty batch": ((np.ones((0, 3)), np.ones(3), np.ones(3)), ValueError, ["empty batch", "(0, 3)"]),
    }
    tolerances = {"float16": 1e-2, "float32": 5e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        """Results away from 0, where ReLU has no derivative."""
        for _ in range(1000):
            arrays = [rng.normal(1, 2, self.shape), rng.uniform(0.5, 1.5, 3), rng.normal(size=3)]
            if getattr(self, "residual", False):
                arrays.append(rng.normal(size=self.shape))
            if abs(self.normalized(*arrays)).min() > 0.02:
                return tuple(a.astype(dtype) for a in arrays)
        raise AssertionError("a thousand draws lie near 0")

    def call(self, *arrays):
        return batch_normalization_relu(*arrays, eps=EPS, axis=getattr(self, "axis", None))

    def normalized(self, x, gamma, beta, residual=0):
        axes = getattr(self, "axis", (0, *range(2, x.ndim)))
        gamma, beta = (np.expand_dims(p, axes) for p in (gamma, beta))
        return gamma * (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + EPS) + beta + residual

    def reference(self, *arrays):
        return np.maximum(self.normalized(*arrays), 0)

    def empty_inputs(self, dtype):
        shape = list(self.shape)
        shape[-1 if hasattr(self, "axis") else 1] = 0
        residual = (np.zeros(shape, dtype),) if getattr(self, "residual", False) else ()
        return np.zeros(shape, dtype), np.zeros(0, dtype), np.zeros(0, dtype), *residual


class TestFixedBatchNormalizationReLU(FunctionSuite):
    cases = {
        "images": {"shape": (2, 3, 4, 2)},
        "channels last, residual": {"shape": (2, 4, 3), "axis": (0, 1), "residual": True},
    }
    bad_inputs = {
        "mean does not fit": (
            (np.ones((2, 3)), np.ones(3), np.ones(3), np.ones(2), np.ones(3)),
            InvalidType,
            ["fixed_batch_normalization_relu: mean", "(3,)", "(2,)"],
        ),
        "residual of another dtype": (
            (np.ones((2, 3)), np.ones(3), np.ones(3), np.ones(3), np.ones(3), np.ones((2, 3), np.float32)),
            InvalidType,
            ["fixed_batch_normalization_relu: residual", "float32 (2, 3)"],
        ),
    }
    tolerances = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        """Results away from 0, where ReLU has no derivative."""
        for _ in range(1000):
            arrays = [rng.normal(size=self.shape), *[rng.uniform(0.5, 1.5, 3) for _ in range(4)]]
            if getattr(self, "residual", False):
                arrays.append(rng.normal(size=self.shape))
            if abs(self.normalized(*arrays)).min() > 0.02:
                return tuple(a.astype(dtype) for a in arrays)
        raise AssertionError("a thousand draws lie near 0")

    def call(self, x, gamma, beta, mean, var, residual=None):
        axis = getattr(self, "axis", None)
        return fixed_batch_normalization_relu(x, gamma, beta, mean, var, residual, EPS, axis)

    def normalized(self, x, gamma, beta, mean, var, residual=0):
        axes = getattr(self, "axis", (0, *range(2, x.ndim)))
        gamma, beta, mean, var = (np.expand_dims(p, axes) for p in (gamma, beta, mean, var))
        return gamma * (x - mean) / np.sqrt(var + EPS) + beta + residual

    def reference(self, *arrays):
        return np.maximum(self.normalized(*arrays), 0)

    def empty_inputs(self, dtype):
        shape = (0, *self.shape[1:])
        residual = (np.ones(shape, dtype),) if getattr(self, "residual", False) else ()
        return np.ones(shape, dtype), *[np.ones(3, dtype) for _ in range(4)], *residual


@pytest.mark.parametrize("shape", [(4, 6, 5, 5), (9, 40, 31, 33)], ids=["small", "several blocks"])
@pytest.mark.parametrize("with_residual", [False, True])
@pytest.mark.parametrize("fixed", [False, True])
def test_equals_three_functions(shape, with_residual, fixed):
    rng = np.random.default_rng(0)
    x, residual = [Variable(rng.standard_normal(shape).astype(np.float32)) for _ in range(2)]
    gamma, beta = [Parameter(rng.standard_normal(shape[1]).astype(np.float32)) for _ in range(2)]
    gy = rng.standard_normal(shape).astype(np.float32)
    statistics = (np.full(shape[1], 0.1, np.float32), np.full(shape[1], 2, np.float32)) if fixed else ()
    together, alone = (
        (fixed_batch_normalization_relu, F.fixed_batch_normalization)
        if fixed
        else (batch_normalization_relu, F.batch_normalization)
    )
    inputs = (x, gamma, beta, residual) if with_residual else (x, gamma, beta)
    y = together(x, gamma, beta, *statistics, residual if with_residual else None)
    h = alone(x, gamma, beta, *statistics)
    expected = F.relu(h + residual if with_residual else h)
    np.testing.assert_allclose(y.array, expected.array, atol=3e-6)
    # Where rounding decides the sign, so does it on the gradient.
    gy[(y.array > 0) != (expected.array > 0)] = 0
    for got, right in zip(grad([y], inputs, [gy]), grad([expected], inputs, [gy]), strict=True):
        np.testing.assert_allclose(got.array, right.array, atol=2e-6 * max(1, abs(right.array).max()))


def test_moving_averages_are_those_of_batch_normalization():
    x, one = np.random.default_rng(0).normal(3, 2, (5, 4, 2)), np.ones(4)
    ours, right = [(np.full(4, 10.0), np.full(4, 20.0)) for _ in range(2)]
    batch_normalization_relu(x, one, one, x, running_mean=ours[0], running_var=ours[1], decay=0.75)
    F.batch_normalization(x, one, one, running_mean=right[0], running_var=right[1], decay=0.75)
    np.testing.assert_array_equal(ours, right)


def test_a_residual_without_gradient_still_decides_where_the_gradient_passes():
    x, residual, gy = np.random.default_rng(0).standard_normal((3, 8, 5)).astype(np.float32)
    x, one = Variable(x), np.ones(5, np.float32)
    y = batch_normalization_relu(x, one, one, residual)
    expected = F.relu(F.batch_normalization(x, one, one) + residual)
    got, right = (grad([v], [x], [gy])[0].array for v in (y, expected))
    np.testing.assert_allclose(got, right, atol=2e-6)
