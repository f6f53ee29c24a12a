"""Functions of two or more arrays."""

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_core.testing.function_suite import FunctionSuite
from renga_nn.functions import add, matmul, maximum, minimum


class Broadcasting(FunctionSuite):
    cases = {
        "same": {"shapes": ((2, 3), (2, 3))},
        "broadcast": {"shapes": ((2, 1), (3,))},
        "scalar array": {"shapes": ((), (2, 3))},
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal(shape).astype(dtype) for shape in self.shapes)

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros(3, dtype)


class TestMaximum(Broadcasting):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("maximum", "x2", "broadcasts", "(3,)")),
        "dtypes": ((np.zeros(2), np.zeros(2, "f")), InvalidType, ("maximum", "x2", "float64", "float32")),
        "integers": ((np.arange(2), np.arange(2)), InvalidType, ("maximum", "x1", "floating")),
    }

    def call(self, a, b):
        return maximum(a, b)

    def reference(self, a, b):
        return np.where(a > b, a, b)


class TestMinimum(Broadcasting):
    bad_inputs = {"shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("minimum", "x2", "broadcasts", "(3,)"))}

    def call(self, a, b):
        return minimum(a, b)

    def reference(self, a, b):
        return np.where(a < b, a, b)


@pytest.mark.parametrize("function", [maximum, minimum])
def test_equal_ones_give_the_gradient_to_the_first(function):
    x, y = Variable(np.ones(2)), Variable(np.ones(2))
    z = function(x, y)
    z.grad = np.array([1.0, 2.0])
    z.backward()
    assert x.grad.tolist() == [1, 2]
    assert y.grad.tolist() == [0, 0]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_a_scalar_takes_the_dtype_of_the_array(dtype):
    x = Variable(np.array([-1, 2], dtype))
    for y in (maximum(x, 0), maximum(0.0, x), minimum(x, 1)):
        assert y.dtype == dtype
    assert maximum(0.5, x).array.tolist() == [0.5, 2]


class TestAdd(FunctionSuite):
    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal(shape).astype(dtype) for shape in ((2, 3), (3,), (2, 1), ()))

    def call(self, *xs):
        return add(*xs)

    def reference(self, *xs):
        return sum(xs)


def test_add_wants_two():
    with pytest.raises(TypeError, match="at least two"):
        add(np.zeros(2))


class TestMatmul(FunctionSuite):
    cases = {
        "plain": {"shapes": ((2, 3), (3, 4)), "trans": ()},
        "transa": {"shapes": ((3, 2), (3, 4)), "trans": (True,)},
        "transb": {"shapes": ((2, 3), (4, 3)), "trans": (False, True)},
        "both": {"shapes": ((3, 2), (4, 3)), "trans": (True, True)},
        "batch": {"shapes": ((5, 3, 2), (5, 3, 4)), "trans": (True, False)},
        "broadcast batch": {"shapes": ((5, 2, 3), (4, 3)), "trans": (False, True)},
        "vectors": {"shapes": ((3,), (3,)), "trans": (True, True)},
        "row": {"shapes": ((3,), (4, 3)), "trans": (False, True)},
        "column": {"shapes": ((3, 2), (3,)), "trans": (True, False)},
        "nothing inside": {"shapes": ((2, 0), (0, 3)), "trans": ()},
    }
    bad_inputs = {
        "sizes": ((np.zeros((2, 3)), np.zeros((4, 2))), InvalidType, ("matmul", "4", "(2, 3)")),
        "scalar": ((np.zeros(()), np.zeros((4, 2))), InvalidType, ("matmul", "a", "at least one axis")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal(shape).astype(dtype) for shape in self.shapes)

    def call(self, a, b):
        return matmul(a, b, *self.trans)

    def reference(self, a, b):
        transa, transb = (*self.trans, False, False)[:2]
        left = "ji" if transa else "ij"
        right = "kj" if transb else "jk"
        if a.ndim == 1:
            left = "j"
        if b.ndim == 1:
            right = "j"
        out = ("" if a.ndim == 1 else "i") + ("" if b.ndim == 1 else "k")
        return np.einsum(f"...{left},...{right}->...{out}", a, b)
