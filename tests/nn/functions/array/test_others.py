"""broadcast, cast, pad, copy, identity, select_item."""

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import broadcast, cast, copy, identity, pad, select_item
from renga_testing.function_suite import FunctionSuite


class TestBroadcast(FunctionSuite):
    bad_inputs = {"shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("broadcast", "(2,)", "(3,)"))}

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal(shape).astype(dtype) for shape in ((2, 1), (3,), (1, 1, 1)))

    def call(self, *xs):
        return broadcast(*xs)

    def reference(self, *xs):
        return tuple(np.broadcast_arrays(*xs))

    def empty_inputs(self, dtype):
        return np.zeros((0, 1), dtype), np.zeros(3, dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_cast_and_back(dtype):
    x = Variable(np.array([0.1, 2.0]))
    y = cast(x, dtype)
    assert y.dtype == dtype
    y.grad = np.array([1, 3], dtype)
    y.backward()
    assert x.grad.dtype == "f8"
    assert x.grad.tolist() == [1, 3]


class TestCast(FunctionSuite):
    """There, and back to the dtype it had."""

    bad_inputs = {"a list": (([1.0], "float32"), InvalidType, ("cast", "x", "list"))}

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 3)).astype(dtype),)

    def call(self, x, there="float64"):
        return cast(cast(x, there), x.dtype)

    def reference(self, x):
        return x

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


def test_cast_to_its_own_dtype_is_the_variable_itself():
    x = Variable(np.ones(2, "f4"))
    assert cast(x, np.float32) is x


class TestPad(FunctionSuite):
    cases = {
        "one number": {"width": 2, "value": 0},
        "a pair": {"width": (1, 2), "value": -3},
        "a pair in a list": {"width": [(0, 2)], "value": 0},
        "each axis": {"width": ((0, 1), (2, 0)), "value": 0.5},
        "values before and after": {"width": 1, "value": (1, 2)},
        "values of each axis": {"width": ((2, 1), (1, 0)), "value": ((1, 2), (3, 4))},
    }
    bad_inputs = {"a list": (([1.0],), InvalidType, ("pad", "x", "list"))}

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 3)).astype(dtype),)

    def call(self, x):
        return pad(x, self.width, "constant", constant_values=self.value)

    def reference(self, x):
        return np.pad(x, self.width, "constant", constant_values=self.value)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


@pytest.mark.parametrize("width", [((1, 1), (1, 1), (1, 1)), -1, (1, 2, 3), 1.5])
def test_bad_pad_width(width):
    with pytest.raises(ValueError, match="pad_width"):
        pad(np.zeros((2, 2)), width, "constant")


@pytest.mark.parametrize("value", [(1, 2, 3), "zero", None])
def test_bad_pad_values(value):
    with pytest.raises(ValueError, match="pad: constant_values"):
        pad(np.zeros((2, 2)), 1, "constant", constant_values=value)


def test_pad_mode():
    with pytest.raises(ValueError, match="only 'constant' can"):
        pad(np.zeros(2), 1, "edge")


class TestCopy(FunctionSuite):
    bad_inputs = {"a list": (([1.0],), TypeError, ("copy: x", "list"))}

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 3)).astype(dtype),)

    def call(self, x):
        return copy(x, getattr(x, "device", "numpy"))

    def reference(self, x):
        return x

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


def test_copy_shares_no_memory():
    x = np.ones(3)
    assert not np.shares_memory(copy(x, "@numpy").array, x)


class TestIdentity(FunctionSuite):
    bad_inputs = {"a list": ((np.ones(2), [1.0]), TypeError, ("identity: inputs[1]", "list"))}

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((2, 3)).astype(dtype), rng.standard_normal(2).astype(dtype)

    def call(self, *xs):
        return identity(*xs)

    def reference(self, *xs):
        return xs

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros(2, dtype)


def test_identity_of_one_is_one():
    x = Variable(np.ones(2))
    y = identity(x)
    assert y is not x
    assert y.array is x.array


class TestSelectItem(FunctionSuite):
    bad_inputs = {
        "vector": ((np.zeros(3), np.zeros(3, int)), InvalidType, ("select_item", "(N, K)", "(3,)")),
        "lengths": ((np.zeros((2, 3)), np.zeros(3, int)), InvalidType, ("select_item", "(2,)", "int64 (3,)")),
        "floating": ((np.zeros((2, 3)), np.zeros(2)), InvalidType, ("select_item", "integers", "float64 (2,)")),
        "too large": ((np.zeros((1, 3)), np.array([3])), ValueError, ("select_item", "0 to 2")),
        "negative": ((np.zeros((1, 3)), np.array([-1])), ValueError, ("select_item", "from -1")),
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((4, 3)).astype(dtype), np.array([0, 2, 2, 1])

    def call(self, x, t):
        return select_item(x, t)

    def reference(self, x, t):
        return np.array([row[i] for row, i in zip(x, t, strict=True)])

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros(0, "i4")
