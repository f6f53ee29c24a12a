import numpy as np
import pytest
import scipy.special

from renga_core.graph import InvalidType, Variable
from renga_core.testing.function_suite import FunctionSuite
from renga_nn import functions as F

AXES = {
    "all": {"args": (), "axis": None, "keepdims": False},
    "first": {"args": (0,), "axis": 0, "keepdims": False},
    "last": {"args": (-1,), "axis": -1, "keepdims": False},
    "two": {"args": ((0, 2),), "axis": (0, 2), "keepdims": False},
    "kept": {"args": ((2, 0), True), "axis": (0, 2), "keepdims": True},
    "all kept": {"args": (None, True), "axis": None, "keepdims": True},
}


class Reducing(FunctionSuite):
    cases = AXES

    def make_inputs(self, rng, dtype):
        return (rng.permutation(np.linspace(-2, 2, 24)).reshape(2, 3, 4).astype(dtype),)

    def call(self, x):
        return self.function(x, *self.args)

    def reference(self, x):
        return self.numpy(x, axis=self.axis, keepdims=self.keepdims)


class TestSum(Reducing):
    function = staticmethod(F.sum)
    numpy = staticmethod(np.sum)

    def empty_inputs(self, dtype):
        return (np.zeros((2, 0, 4), dtype),)


class TestMax(Reducing):
    function = staticmethod(F.max)
    numpy = staticmethod(np.max)
    bad_inputs = {
        "nothing": ((np.zeros((0, 3)),), InvalidType, ("max", "at least one element", "(0, 3)")),
        "integers": ((np.zeros((2, 3), int),), InvalidType, ("max", "floating")),
    }


class TestMin(Reducing):
    function = staticmethod(F.min)
    numpy = staticmethod(np.min)
    bad_inputs = {"nothing": ((np.zeros((0, 3)),), InvalidType, ("min", "at least one element", "(0, 3)"))}


@pytest.mark.parametrize("function", [F.max, F.min])
def test_equal_ones_share_the_gradient(function):
    x = Variable(np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]))
    y = function(x, axis=1)
    y.grad = np.array([3.0, 6.0])
    y.backward()
    assert x.grad.tolist() == [[1, 1, 1], [2, 2, 2]]


def test_no_gradient_through_nan():
    x = Variable(np.array([1.0, np.nan]))
    F.max(x).backward()
    assert x.grad.tolist() == [0, 0]


@pytest.mark.parametrize("function", [F.max, F.min, F.logsumexp, F.average, F.argmax])
def test_no_such_axis(function):
    with pytest.raises(ValueError, match="axis 2 is out of range"):
        function(np.zeros((2, 3)), axis=2)


class TestLogSumExp(FunctionSuite):
    cases = {name: case for name, case in AXES.items() if not case["keepdims"]}
    bad_inputs = {"nothing": ((np.zeros((0, 3)),), InvalidType, ("logsumexp", "at least one element"))}

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-3, 3, (2, 3, 4)).astype(dtype),)

    def call(self, x):
        return F.logsumexp(x, *self.args)

    def reference(self, x):
        return scipy.special.logsumexp(x, axis=self.axis)


def test_logsumexp_of_large_and_infinite():
    assert F.logsumexp(np.array([60000, 60000], "f2")).dtype == "f2"
    assert F.logsumexp(np.array([1e300, -1e300])).item() == 1e300
    assert F.logsumexp(np.array([np.inf, 0.0])).item() == np.inf
    assert F.logsumexp(np.array([-np.inf, 0.0])).item() == 0


class TestAverage(Reducing):
    numpy = staticmethod(np.mean)

    def call(self, x):
        return F.average(x, self.axis, keepdims=self.keepdims)


class TestWeightedAverage(FunctionSuite):
    cases = {
        "one axis": {"axis": 1, "shape": (3,)},
        "two": {"axis": (0, -1), "shape": (2, 4)},
        "all": {"axis": None, "shape": (2, 3, 4)},
    }
    bad_inputs = {"weights": ((np.zeros((2, 3)), np.ones(2)), InvalidType, ("average", "weights", "(3,)", "(2,)"))}

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((2, 3, 4)).astype(dtype), rng.uniform(0.5, 1, self.shape).astype(dtype)

    def call(self, x, weights):
        return F.average(x, self.axis, weights=weights, keepdims=True)

    def reference(self, x, weights):
        return np.average(x, self.axis, weights=weights, keepdims=True)


class TestBatchL2NormSquared(FunctionSuite):
    cases = {"matrix": {"shape": (3, 4)}, "images": {"shape": (2, 3, 2, 2)}}
    bad_inputs = {
        "vector": ((np.zeros(3),), InvalidType, ("batch_l2_norm_squared", "(N, ...)", "(3,)")),
        "integers": ((np.zeros((3, 2), int),), InvalidType, ("batch_l2_norm_squared", "floating")),
    }

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(self.shape).astype(dtype),)

    def call(self, x):
        return F.batch_l2_norm_squared(x)

    def reference(self, x):
        return np.array([np.linalg.norm(row) ** 2 for row in x])

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_argmax_and_argmin(name, axis):
    x = np.random.default_rng(0).standard_normal((3, 4))
    y = getattr(F, name)(Variable(x), axis)
    assert y.dtype == "int32"
    assert y.creator is None
    np.testing.assert_array_equal(y.array, getattr(np, name)(x, axis))


def test_argmax_of_nothing():
    with pytest.raises(InvalidType, match="argmax: x: expected at least one element"):
        F.argmax(np.zeros((2, 0)), 1)
