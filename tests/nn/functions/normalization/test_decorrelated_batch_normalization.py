import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.normalization import decorrelated_batch_normalization, fixed_decorrelated_batch_normalization
from renga_nn.functions.normalization.whitening import Lyapunov, inverse_square_root
from renga_testing.function_suite import FunctionSuite

EPS = 0.05


def groups_of(x, groups):
    """For each group its channels, one row each."""
    rows = np.moveaxis(x, 1, 0).reshape(groups, x.shape[1] // groups, -1)
    return rows, lambda y: np.moveaxis(y.reshape(x.shape[1], x.shape[0], *x.shape[2:]), 0, 1)


def inverse_root(matrix):
    """By Newton's iteration (Denman & Beavers 1976)."""
    root, inverse = matrix, np.eye(len(matrix))
    for _ in range(30):
        root, inverse = (root + np.linalg.inv(inverse)) / 2, (inverse + np.linalg.inv(root)) / 2
    return inverse


class TestDecorrelatedBatchNormalization(FunctionSuite):
    cases = {
        "vectors": {"shape": (9, 4), "groups": 2},
        "images": {"shape": (2, 3, 3, 2), "groups": 1},
        "groups of one channel": {"shape": (3, 2, 3), "groups": 2},
    }
    bad_inputs = {
        "channels": ((np.ones((5, 3)),), ValueError, ["decorrelated_batch_normalization: groups=2", "(5, 3)"]),
        "integers": ((np.ones((5, 4), int),), InvalidType, ["decorrelated_batch_normalization: x", "floating"]),
        "a vector": ((np.ones(4),), InvalidType, ["decorrelated_batch_normalization: x", "2 axes"]),
        "empty batch": ((np.ones((0, 4)),), ValueError, ["decorrelated_batch_normalization", "empty batch"]),
    }
    excluded = {"empty": "a batch without entries has no covariance, and is refused: see its bad inputs"}
    tolerances = {"float16": 3e-2, "float32": 1e-4, "float64": 1e-10}

    def make_inputs(self, rng, dtype):
        return (rng.normal(1, 2, self.shape).astype(dtype),)

    def call(self, x):
        return decorrelated_batch_normalization(x, groups=self.groups, eps=EPS)

    def reference(self, x):
        rows, back = groups_of(x, self.groups)
        y = np.empty_like(rows)
        for g, group in enumerate(rows):
            covariance = np.cov(group, bias=True).reshape(len(group), len(group)) + EPS * np.eye(len(group))
            y[g] = inverse_root(covariance) @ (group - group.mean(1, keepdims=True))
        return back(y)


class TestFixedDecorrelatedBatchNormalization(FunctionSuite):
    cases = {"vectors": {"shape": (5, 4), "groups": 2}, "images": {"shape": (2, 3, 2, 2), "groups": 1}}
    bad_inputs = {
        "channels": (
            (np.ones((5, 3)), np.ones((2, 2)), np.ones((2, 2, 2))),
            ValueError,
            ["fixed_decorrelated_batch_normalization: groups=2", "(5, 3)"],
        ),
        "mean": (
            (np.ones((5, 4)), np.ones(4), np.ones((2, 2, 2))),
            InvalidType,
            ["fixed_decorrelated_batch_normalization: mean", "(2, 2)", "(4,)"],
        ),
        "projection": (
            (np.ones((5, 4)), np.ones((2, 2)), np.ones((2, 2), int)),
            InvalidType,
            ["fixed_decorrelated_batch_normalization: projection", "(2, 2, 2)"],
        ),
    }
    tolerances = {"float16": 2e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        size = self.shape[1] // self.groups
        sizes = self.shape, (self.groups, size), (self.groups, size, size)
        return tuple(rng.normal(size=s).astype(dtype) for s in sizes)

    def call(self, x, mean, projection):
        return fixed_decorrelated_batch_normalization(x, mean, projection, self.groups)

    def reference(self, x, mean, projection):
        rows, back = groups_of(x, self.groups)
        return back(np.einsum("gij,gjm->gim", projection, rows - mean[:, :, None]))

    def empty_inputs(self, dtype):
        size = self.shape[1] // self.groups
        sizes = (0, *self.shape[1:]), (self.groups, size), (self.groups, size, size)
        return tuple(np.ones(s, dtype) for s in sizes)


class TestLyapunov(FunctionSuite):
    """Of symmetric matrices, so that the numerical derivatives stay among them."""

    subjects = ()

    tolerances = {"float16": 5e-2, "float32": 1e-4, "float64": 1e-10}

    def make_inputs(self, rng, dtype):
        return rng.normal(size=(2, 3, 3)).astype(dtype), rng.normal(size=(2, 3, 3)).astype(dtype)

    def call(self, a, y):
        wide = [v.astype("float32") if v.dtype == "float16" else v for v in (a, y)]
        s = wide[0] @ wide[0].transpose(0, 2, 1) + wide[0].xp.eye(3, dtype=wide[0].dtype)
        return Lyapunov().apply((s, wide[1]))[0].astype(a.dtype)

    def reference(self, a, y):
        """As a system of equations for the numbers of each matrix."""
        one, x = np.eye(3), np.empty_like(y)
        for i, matrix in enumerate(a @ a.transpose(0, 2, 1) + one):
            x[i] = np.linalg.solve(np.kron(matrix, one) + np.kron(one, matrix), y[i].reshape(9)).reshape(3, 3)
        return x


def test_equal_eigenvalues_have_derivatives():
    a = Variable(np.stack([4 * np.eye(3)]))
    p = inverse_square_root(a)
    np.testing.assert_allclose(p.array[0], np.eye(3) / 2)
    p.grad = np.ones((1, 3, 3))
    p.backward()
    np.testing.assert_allclose(a.grad, np.full((1, 3, 3), -1 / 16))  # d(a ** -1/2) = -1/2 a ** -3/2 da


def test_the_result_is_white():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3)) + 5
    y = decorrelated_batch_normalization(x, groups=1, eps=0).array
    np.testing.assert_allclose(y.mean(0), 0, atol=1e-10)
    np.testing.assert_allclose(np.cov(y, rowvar=False, bias=True), np.eye(3), atol=1e-10)


def test_running_statistics_move_towards_mean_and_unbiased_projection():
    x = np.random.default_rng(0).normal(3, 2, (5, 4, 2))
    mean, projection = np.full((2, 2), 10.0), np.full((2, 2, 2), 20.0)
    decorrelated_batch_normalization(x, groups=2, eps=0, running_mean=mean, running_projection=projection, decay=0.75)
    np.testing.assert_allclose(mean, 0.75 * 10 + 0.25 * x.mean((0, 2)).reshape(2, 2))
    right = np.stack([inverse_root(np.cov(group)) for group in groups_of(x, 2)[0]])
    np.testing.assert_allclose(projection, 0.75 * 20 + 0.25 * right)


def test_one_example_has_no_variance():
    projection = np.zeros((1, 2, 2))
    y = decorrelated_batch_normalization(np.ones((1, 2)), groups=1, eps=0.25, running_projection=projection, decay=0)
    np.testing.assert_allclose(y.array, 0)
    np.testing.assert_allclose(projection[0], 2 * np.eye(2))


@pytest.mark.parametrize("groups", [0, 3])
def test_groups_that_do_not_divide_the_channels(groups):
    with pytest.raises(ValueError, match=f"groups={groups} does not divide"):
        decorrelated_batch_normalization(np.ones((2, 4)), groups=groups)
