import numpy as np

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import where
from renga_testing.function_suite import FunctionSuite


class TestWhere(FunctionSuite):
    cases = {
        "same": {"shapes": ((2, 3), (2, 3), (2, 3))},
        "broadcast": {"shapes": ((3,), (2, 1), ())},
        "condition is the largest": {"shapes": ((2, 3), (3,), (1, 3))},
    }
    bad_inputs = {
        "condition": ((np.zeros(2), np.zeros(2), np.zeros(2)), InvalidType, ("where", "condition", "booleans")),
        "dtypes": ((np.ones(2, "?"), np.zeros(2), np.zeros(2, "f")), InvalidType, ("where", "float64", "float32")),
        "shapes": ((np.ones(2, "?"), np.zeros(2), np.zeros(3)), InvalidType, ("where", "broadcast", "(3,)")),
    }

    def make_inputs(self, rng, dtype):
        c, x, y = self.shapes
        return rng.random(c) > 0.5, rng.standard_normal(x).astype(dtype), rng.standard_normal(y).astype(dtype)

    def call(self, condition, x, y):
        return where(condition, x, y)

    def reference(self, condition, x, y):
        return np.where(condition, x, y)

    def empty_inputs(self, dtype):
        return np.ones((0, 2), "?"), np.zeros(2, dtype), np.zeros((0, 2), dtype)


def test_what_was_not_chosen_gets_zero_even_from_infinity():
    x, y = Variable(np.ones(2)), Variable(np.ones(2))
    z = where(np.array([True, False]), x, y)
    z.grad = np.array([np.inf, np.nan])
    z.backward()
    assert x.grad.tolist() == [np.inf, 0]
    assert y.grad[0] == 0


def test_a_scalar_takes_the_dtype_of_the_other():
    assert where(np.array([True]), np.ones(1, "f2"), 0).dtype == "f2"
    assert where(np.array([True]), 0.5, Variable(np.ones(1, "f4"))).dtype == "f4"
