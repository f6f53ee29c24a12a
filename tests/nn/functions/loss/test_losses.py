"""The losses other than softmax cross entropy."""

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import (
    absolute_error,
    hinge,
    huber_loss,
    mean_absolute_error,
    mean_squared_error,
    sigmoid_cross_entropy,
    squared_error,
)
from renga_testing.function_suite import FunctionSuite


class OfTwo(FunctionSuite):
    def make_inputs(self, rng, dtype):
        return rng.standard_normal((4, 3)).astype(dtype), rng.standard_normal((4, 3)).astype(dtype)


class TestMeanSquaredError(OfTwo):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("mean_squared_error", "x1", "(2,)", "(3,)")),
        "dtypes": ((np.zeros(2), np.zeros(2, "f")), InvalidType, ("mean_squared_error", "float64", "float32")),
        "integers": ((np.arange(2), np.arange(2)), InvalidType, ("mean_squared_error", "x0", "floating")),
    }

    def call(self, x, y):
        return mean_squared_error(x, y)

    def reference(self, x, y):
        return ((x - y) ** 2).sum() / max(1, x.size)

    def empty_inputs(self, dtype):
        return np.zeros((0, 2), dtype), np.zeros((0, 2), dtype)


class TestMeanAbsoluteError(OfTwo):
    bad_inputs = {"shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("mean_absolute_error", "x1", "(2,)", "(3,)"))}

    def call(self, x, y):
        return mean_absolute_error(x, y)

    def reference(self, x, y):
        return abs(x - y).sum() / max(1, x.size)

    def empty_inputs(self, dtype):
        return np.zeros((0, 2), dtype), np.zeros((0, 2), dtype)


class TestSquaredError(OfTwo):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("squared_error", "x1", "(2,)", "(3,)")),
        "integers": ((np.arange(2), np.arange(2)), InvalidType, ("squared_error", "x0", "floating")),
        "a list": ((np.ones(2), [1.0, 1.0]), InvalidType, ("squared_error", "x1", "list")),
    }

    def call(self, x, y):
        return squared_error(x, y)

    def reference(self, x, y):
        return x**2 - 2 * x * y + y**2

    def empty_inputs(self, dtype):
        return np.zeros((0, 2), dtype), np.zeros((0, 2), dtype)


class TestAbsoluteError(TestSquaredError):
    bad_inputs = {"shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("absolute_error", "x1", "(2,)", "(3,)"))}

    def call(self, x, y):
        return absolute_error(x, y)

    def reference(self, x, y):
        return np.where(x > y, x - y, y - x)


def test_half_precision_squares_in_single():
    """The square of 300 is more than half precision holds; so is the sum of 70000 ones."""
    x, y = np.array([300, 0], "f2"), np.zeros(2, "f2")
    assert mean_squared_error(x, y).item() == pytest.approx(45000, rel=1e-3)
    assert mean_squared_error(np.ones(70_000, "f2"), np.zeros(70_000, "f2")).item() == 1


def test_mean_of_nothing():
    assert mean_squared_error(np.zeros((0, 2)), np.zeros((0, 2))).item() == 0


class TestSigmoidCrossEntropy(FunctionSuite):
    cases = {
        "default": {"options": {}},
        "not normalized": {"options": {"normalize": False}},
        "not reduced": {"options": {"reduce": "no"}},
    }
    bad_inputs = {
        "shapes": ((np.zeros((2, 3)), np.zeros(2, int)), InvalidType, ("sigmoid_cross_entropy", "t", "(2, 3)")),
        "floating": ((np.zeros(2), np.zeros(2)), InvalidType, ("sigmoid_cross_entropy", "t", "integers")),
    }

    def make_inputs(self, rng, dtype):
        return rng.uniform(-3, 3, (4, 3)).astype(dtype), rng.integers(-1, 2, (4, 3))

    def call(self, x, t):
        return sigmoid_cross_entropy(x, t, **self.options)

    def reference(self, x, t):
        y = 1 / (1 + np.exp(-x))
        loss = np.where(t == -1, 0, -np.where(t == 1, np.log(y), np.log(1 - y)))
        if self.options.get("reduce") == "no":
            return loss
        return loss.sum() / max(1, (t != -1).sum() if self.options.get("normalize", True) else len(x))

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros((0, 3), int)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_sigmoid_cross_entropy_of_large_scores(dtype):
    x = Variable(np.array([60000, -60000, 60000, -60000], dtype))
    loss = sigmoid_cross_entropy(x, np.array([0, 1, 1, 0]), reduce="no")
    assert loss.array.tolist() == [60000, 60000, 0, 0]
    loss.grad = np.ones(4, dtype)
    loss.backward()
    assert x.grad.tolist() == [1, -1, 0, 0]


def test_sigmoid_cross_entropy_with_nothing_that_counts():
    assert sigmoid_cross_entropy(np.zeros(2), np.array([-1, -1])).item() == 0


class TestHuberLoss(OfTwo):
    cases = {"summed": {"options": {}}, "not reduced": {"options": {"reduce": "no"}}}
    bad_inputs = {
        "shapes": ((np.zeros((2, 1)), np.zeros((2, 2))), InvalidType, ("huber_loss", "t", "(2, 1)", "(2, 2)")),
        "vector": ((np.zeros(2), np.zeros(2)), InvalidType, ("huber_loss", "x", "(N, K, ...)", 'reduce="no"')),
    }

    def call(self, x, t):
        return huber_loss(x, t, 0.7, **self.options)

    def reference(self, x, t):
        a = abs(x - t)
        loss = np.where(a <= 0.7, a**2 / 2, 0.7 * (a - 0.35))
        return loss if self.options else loss.sum(axis=1)

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros((0, 3), dtype)


class TestHinge(FunctionSuite):
    cases = {
        "L1": {"args": (), "power": 1},
        "L2": {"args": ("L2",), "power": 2},
        "L2, not reduced": {"args": ("L2", "no"), "power": 2},
    }
    bad_inputs = {
        "images": ((np.zeros((2, 3, 4)), np.zeros((2, 4), int)), InvalidType, ("hinge", "(N, classes)")),
        "too large": ((np.zeros((2, 3)), np.array([0, 3])), ValueError, ("hinge", "0 to 2")),
    }

    def make_inputs(self, rng, dtype):
        return rng.uniform(-2, 2, (4, 3)).astype(dtype), np.array([0, 2, 1, 1])

    def call(self, x, t):
        return hinge(x, t, *self.args)

    def reference(self, x, t):
        loss = np.array(
            [
                [max(0, 1 - s if k == label else 1 + s) ** self.power for k, s in enumerate(row)]
                for row, label in zip(x, t, strict=True)
            ]
        ).reshape(x.shape)
        return loss if len(self.args) == 2 else loss.sum() / max(1, len(x))

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros(0, int)


def test_words_and_numbers():
    x = np.zeros((2, 2))
    t = np.zeros(2, int)
    with pytest.raises(ValueError, match="norm is 'L3'; choose from 'L1', 'L2'"):
        hinge(x, t, norm="L3")
    with pytest.raises(ValueError, match="reduce is 'mean'"):
        huber_loss(x, x, 1.0, reduce="mean")
    with pytest.raises(ValueError, match="delta is 0"):
        huber_loss(x, x, 0)
    with pytest.raises(ValueError, match="reduce is 'sum'"):
        sigmoid_cross_entropy(x, x.astype(int), reduce="sum")
