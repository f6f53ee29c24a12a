"""Products, and running sums and products."""

import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions import cumprod, cumsum, prod
from renga_testing.function_suite import FunctionSuite
from renga_testing.gradient_check import check_backward, check_double_backward


class Running(FunctionSuite):
    cases = {"flat": {"axis": None}, "first": {"axis": 0}, "middle": {"axis": 1}, "last": {"axis": -1}}
    bad_inputs = {
        "integers": ((np.arange(3),), InvalidType, ("floating", "int64 (3,)")),
        "a list": (([1.0],), InvalidType, ("list",)),
    }

    def make_inputs(self, rng, dtype):
        return ((rng.uniform(0.5, 1.5, (2, 5, 3)) * rng.choice([-1, 1], (2, 5, 3))).astype(dtype),)

    def call(self, x):
        return self.function(x, self.axis)

    def reference(self, x):
        return self.numpy(x, self.axis)

    def empty_inputs(self, dtype):
        return (np.zeros((2, 0, 3), dtype),)


class TestCumsum(Running):
    tolerances = {**Running.tolerances, "float16": 2e-2}  # 30 summands
    function = staticmethod(cumsum)
    numpy = staticmethod(np.cumsum)


class TestCumprod(Running):
    tolerances = {**Running.tolerances, "float16": 2e-2, "float32": 2e-5}
    function = staticmethod(cumprod)
    numpy = staticmethod(np.cumprod)


class TestProd(Running):
    cases = {
        "all": {"axis": None, "keepdims": False},
        "one": {"axis": 1, "keepdims": False},
        "two": {"axis": (0, -1), "keepdims": False},
        "kept": {"axis": (-1, 1), "keepdims": True},
        "none": {"axis": (), "keepdims": False},
    }
    tolerances = {**Running.tolerances, "float16": 2e-2, "float32": 2e-5}

    def call(self, x):
        return prod(x, self.axis, self.keepdims)

    def reference(self, x):
        return np.prod(x, self.axis, keepdims=self.keepdims)


@pytest.mark.parametrize("zeros", [(0,), (2,), (6,), (0, 6), (2, 3), (1, 3, 5), range(7)])
@pytest.mark.parametrize("function", [cumprod, prod])
def test_gradients_where_factors_are_zero(function, zeros):
    """Nothing is divided by a factor: with one, two or more zeros, derivatives of both orders are right."""
    rng = np.random.default_rng(len(zeros))
    x = rng.uniform(0.5, 1.5, (7, 2))
    x[list(zeros), 0] = 0
    gy = rng.standard_normal(function(x, 0).shape)
    check_backward(lambda v: function(v, 0), x, gy, eps=1e-4, atol=1e-6, rtol=1e-6)
    check_double_backward(lambda v: function(v, 0), x, gy, rng.standard_normal(x.shape), eps=1e-4, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("function", [cumsum, cumprod, prod])
def test_no_such_axis(function):
    with pytest.raises(ValueError, match="expected -2 to 1, for 2 axes, got axis 2"):
        function(np.zeros((2, 3)), 2)


def test_half_precision_adds_up_in_single():
    assert cumsum(np.ones(4096, "f2")).array[-1] == 4096
