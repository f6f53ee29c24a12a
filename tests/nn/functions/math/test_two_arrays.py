"""Functions of two or more arrays."""

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import (
    add,
    arctan2,
    batch_matmul,
    bias,
    fmod,
    linear_interpolate,
    matmul,
    maximum,
    minimum,
    scale,
    squared_difference,
)
from renga_testing.function_suite import FunctionSuite


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


class TestArctan2(Broadcasting):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("arctan2", "x2", "broadcasts", "(3,)")),
        "dtypes": ((np.zeros(2), np.zeros(2, "f")), InvalidType, ("arctan2", "x2", "float64", "float32")),
        "integers": ((np.arange(2), np.arange(2)), InvalidType, ("arctan2", "x1", "floating")),
    }

    def make_inputs(self, rng, dtype):
        return tuple((rng.uniform(0.5, 2, s) * rng.choice([-1, 1], s)).astype(dtype) for s in self.shapes)

    def call(self, a, b):
        return arctan2(a, b)

    def reference(self, a, b):
        return np.angle(b + 1j * a)


class TestFmod(Broadcasting):
    cases = {**Broadcasting.cases, "larger": {"shapes": ((7, 5), (7, 5))}}
    bad_inputs = {
        "shapes": ((np.zeros(2), np.ones(3)), InvalidType, ("fmod", "divisor", "broadcasts", "(3,)")),
        "dtypes": ((np.zeros(2), np.ones(2, "f")), InvalidType, ("fmod", "divisor", "float64", "float32")),
        "integers": ((np.arange(2), np.arange(2)), InvalidType, ("fmod", "x", "floating")),
    }

    def make_inputs(self, rng, dtype):
        """Far from multiples, in half precision too."""
        x, divisor = self.shapes
        size = np.broadcast_shapes(x, divisor)
        y = rng.uniform(0.5, 1, divisor) * rng.choice([-1, 1], divisor)
        times = rng.integers(-3, 4, size) + 0.5
        wide = times * np.where(y > 0, 1, -1) * 0.75
        inside = np.abs(np.fmod(wide, y) / y)
        wide = np.where((inside < 0.1) | (inside > 0.9), wide + y / 3, wide)
        while wide.shape != x:
            wide = wide[:1] if wide.ndim == len(x) and x[0] == 1 else wide[..., :1] if wide.ndim == len(x) else wide[0]
        return wide.astype(dtype), y.astype(dtype)

    def call(self, x, divisor):
        return fmod(x, divisor)

    def reference(self, x, divisor):
        return np.fmod(x, divisor)


def test_fmod_is_exact_where_the_quotient_is_large():
    x, divisor = np.array([1e15, -1e17, 5.5]), np.array([0.3, 7.1, -2.0])
    np.testing.assert_array_equal(fmod(x, divisor).array, np.fmod(x, divisor))


class TestLinearInterpolate(FunctionSuite):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(2), np.zeros(3)), InvalidType, ("linear_interpolate", "y", "(2,)", "(3,)")),
        "dtypes": ((np.zeros(2), np.zeros(2, "f"), np.zeros(2)), InvalidType, ("linear_interpolate", "x", "float32")),
        "a list": ((np.zeros(2), [0, 0], np.zeros(2)), InvalidType, ("linear_interpolate", "x", "list")),
        "integers": ((np.arange(2),) * 3, InvalidType, ("linear_interpolate", "p", "floating")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal((3, 4)).astype(dtype) for _ in range(3))

    def call(self, p, x, y):
        return linear_interpolate(p, x, y)

    def reference(self, p, x, y):
        return y + p * (x - y)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 2), dtype),) * 3


class TestSquaredDifference(FunctionSuite):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("squared_difference", "x2", "(2,)", "(3,)")),
        "integers": ((np.arange(2), np.arange(2)), InvalidType, ("squared_difference", "x1", "floating")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal((3, 4)).astype(dtype) for _ in range(2))

    def call(self, x1, x2):
        return squared_difference(x1, x2)

    def reference(self, x1, x2):
        return x1**2 - 2 * x1 * x2 + x2**2

    def empty_inputs(self, dtype):
        return (np.zeros((0, 2), dtype),) * 2


class AlongAxes(FunctionSuite):
    cases = {
        "channels": {"args": (), "shape": (3,), "letters": "j"},
        "rows": {"args": (0,), "shape": (2, 3), "letters": "ij"},
        "last": {"args": (-1,), "shape": (4,), "letters": "k"},
        "all": {"args": (0,), "shape": (2, 3, 4), "letters": "ijk"},
        "a number": {"args": (3,), "shape": (), "letters": ""},
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((2, 3, 4)).astype(dtype), rng.standard_normal(self.shape).astype(dtype)

    def empty_inputs(self, dtype):
        sizes = {"i": 2, "j": 3, "k": 0}
        return np.zeros((2, 3, 0), dtype), np.zeros([sizes[letter] for letter in self.letters], dtype)

    def spread(self, x, y):
        return np.einsum(f"ijk,{self.letters}->ijk", np.ones_like(x), y)


class TestScale(AlongAxes):
    bad_inputs = {
        "shape": ((np.ones((2, 3)), np.ones(2)), InvalidType, ("scale", "y", "axes of x from 1", "(2,)")),
        "too many": ((np.ones((2, 3)), np.ones((3, 1))), InvalidType, ("scale", "y", "(3, 1)")),
        "a list": ((np.ones((2, 3)), [1, 2, 3]), InvalidType, ("scale", "y", "list")),
    }

    def call(self, x, y):
        return scale(x, y, *self.args)

    def reference(self, x, y):
        return x * self.spread(x, y)


class TestBias(AlongAxes):
    bad_inputs = {"shape": ((np.ones((2, 3)), np.ones(2)), InvalidType, ("bias", "y", "axes of x from 1", "(2,)"))}

    def call(self, x, y):
        return bias(x, y, *self.args)

    def reference(self, x, y):
        return x + self.spread(x, y)


class TestAdd(FunctionSuite):
    bad_inputs = {
        "shapes": ((np.ones(3), np.ones((2, 2))), InvalidType, ("add", "x1", "broadcasts", "(3,)", "(2, 2)")),
        "a list": ((np.ones(2), [1.0, 2.0]), TypeError, ("add: xs[1]", "list")),
    }

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros(3, dtype), np.zeros((0, 1), dtype)

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal(shape).astype(dtype) for shape in ((2, 3), (3,), (2, 1), ()))

    def call(self, *xs):
        return add(*xs)

    def reference(self, *xs):
        return sum(xs)


def test_add_of_one_and_of_none():
    x = Variable(np.zeros(2))
    assert add(x) is x
    with pytest.raises(TypeError, match="at least one"):
        add()


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

    def empty_inputs(self, dtype):
        """Nothing in the first operand's rows, where it has any; else nothing at all."""
        a, b = ([*shape] for shape in self.shapes)
        if len(a) == 1:
            a[0] = b[-1 if (*self.trans, False, False)[1] and len(b) > 1 else -2 if len(b) > 1 else 0] = 0
        else:
            a[-1 if (*self.trans, False)[0] else -2] = 0
        return np.zeros(a, dtype), np.zeros(b, dtype)


class TestBatchMatmul(FunctionSuite):
    cases = {
        "plain": {"shapes": ((5, 2, 3), (5, 3, 4)), "trans": (), "letters": "nij,njk"},
        "transa": {"shapes": ((5, 3, 2), (5, 3, 4)), "trans": (True,), "letters": "nji,njk"},
        "transb": {"shapes": ((5, 2, 3), (5, 4, 3)), "trans": (False, True), "letters": "nij,nkj"},
        "both": {"shapes": ((5, 3, 2), (5, 4, 3)), "trans": (True, True), "letters": "nji,nkj"},
    }
    bad_inputs = {
        "batches": ((np.ones((2, 3, 3)), np.ones((1, 3, 3))), InvalidType, ("batch_matmul", "b", "as long as a")),
        "sizes": ((np.ones((2, 3, 4)), np.ones((2, 3, 4))), InvalidType, ("matmul", "(2, 3, 4)")),
        "axes": ((np.ones((1, 2, 3, 4)), np.ones((1, 3, 4))), InvalidType, ("batch_matmul", "a", "(1, 2, 3, 4)")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal(shape).astype(dtype) for shape in self.shapes)

    def call(self, a, b):
        return batch_matmul(a, b, *self.trans)

    def reference(self, a, b):
        return np.einsum(f"{self.letters}->nik", a, b)

    def empty_inputs(self, dtype):
        return tuple(np.zeros((0, *shape[1:]), dtype) for shape in self.shapes)


class TestBatchMatmulOfVectors(FunctionSuite):
    subjects = ("batch_matmul",)

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal((3, 4)).astype(dtype) for _ in range(2))

    def call(self, a, b):
        return batch_matmul(a, b, transa=True)

    def reference(self, a, b):
        return np.sum(a * b, axis=1).reshape(-1, 1, 1)

    def empty_inputs(self, dtype):
        return np.zeros((0, 4), dtype), np.zeros((0, 4), dtype)
