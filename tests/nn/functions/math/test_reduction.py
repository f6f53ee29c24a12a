import numpy as np
import pytest
import scipy.special

from renga_core.graph import InvalidType, Variable
from renga_nn import functions as F
from renga_testing.function_suite import FunctionSuite, without_gradient


@pytest.mark.parametrize("axis", [1.5, "x", (0, None)])
@pytest.mark.parametrize("name", ["sum", "average", "mean", "max", "logsumexp", "argmax", "cumsum", "squeeze"])
def test_an_axis_that_is_no_integer(name, axis):
    with pytest.raises(TypeError, match=rf"^{name}: an axis must be an integer"):
        getattr(F, name)(np.ones((2, 3)), axis=axis)


AXES = {
    "all": {"args": (), "axis": None, "keepdims": False},
    "first": {"args": (0,), "axis": 0, "keepdims": False},
    "last": {"args": (-1,), "axis": -1, "keepdims": False},
    "two": {"args": ((0, 2),), "axis": (0, 2), "keepdims": False},
    "kept": {"args": ((2, 0), True), "axis": (0, 2), "keepdims": True},
    "all kept": {"args": (None, True), "axis": None, "keepdims": True},
}


ALL = {name: case for name, case in AXES.items() if case["axis"] is None}
SOME = {name: case for name, case in AXES.items() if case["axis"] is not None}


class Reducing(FunctionSuite):
    cases = AXES

    def make_inputs(self, rng, dtype):
        return (rng.permutation(np.linspace(-2, 2, 24)).reshape(2, 3, 4).astype(dtype),)

    def call(self, x):
        return self.function(x, *self.args)

    def reference(self, x):
        return self.numpy(x, axis=self.axis, keepdims=self.keepdims)


class TestSum(Reducing):
    bad_inputs = {"a list": (([1.0],), InvalidType, ("sum", "x", "list"))}
    function = staticmethod(F.sum)
    numpy = staticmethod(np.sum)

    def empty_inputs(self, dtype):
        return (np.zeros((2, 0, 4), dtype),)


class AlongAxes:
    """Axes that are not reduced may be empty."""

    cases = SOME
    bad_inputs = {}

    def empty_inputs(self, dtype):
        return (np.zeros((2, 0, 4), dtype),)


class TestMax(Reducing):
    cases = ALL
    function = staticmethod(F.max)
    numpy = staticmethod(np.max)
    bad_inputs = {
        "nothing": ((np.zeros((0, 3)),), InvalidType, ("max", "at least one element", "(0, 3)")),
        "integers": ((np.zeros((2, 3), int),), InvalidType, ("max", "floating")),
    }


class TestMaxAlongAxes(AlongAxes, TestMax):
    subjects = ("max",)


class TestMin(Reducing):
    cases = ALL
    function = staticmethod(F.min)
    numpy = staticmethod(np.min)
    bad_inputs = {"nothing": ((np.zeros((0, 3)),), InvalidType, ("min", "at least one element", "(0, 3)"))}


class TestMinAlongAxes(AlongAxes, TestMin):
    subjects = ("min",)


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
    with pytest.raises(ValueError, match="expected -2 to 1, for 2 axes, got axis 2"):
        function(np.zeros((2, 3)), axis=2)


class TestLogSumExp(FunctionSuite):
    cases = {name: case for name, case in ALL.items() if not case["keepdims"]}
    bad_inputs = {"nothing": ((np.zeros((0, 3)),), InvalidType, ("logsumexp", "at least one element"))}

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-3, 3, (2, 3, 4)).astype(dtype),)

    def call(self, x):
        return F.logsumexp(x, *self.args)

    def reference(self, x):
        return scipy.special.logsumexp(x, axis=self.axis)


class TestLogSumExpAlongAxes(AlongAxes, TestLogSumExp):
    subjects = ("logsumexp",)
    cases = {name: case for name, case in SOME.items() if not case["keepdims"]}

    def reference(self, x):
        return np.log(np.exp(x).sum(axis=self.axis))


def test_logsumexp_of_large_and_infinite():
    assert F.logsumexp(np.array([60000, 60000], "f2")).dtype == "f2"
    assert F.logsumexp(np.array([1e300, -1e300])).item() == 1e300
    assert F.logsumexp(np.array([np.inf, 0.0])).item() == np.inf
    assert F.logsumexp(np.array([-np.inf, 0.0])).item() == 0


def mean_or_zero(x, **options):
    return np.mean(x, **options) if x.size else np.sum(x, **options)


class TestAverage(Reducing):
    numpy = staticmethod(mean_or_zero)
    bad_inputs = {"a list": (([1.0],), InvalidType, ("average", "x", "list"))}

    def empty_inputs(self, dtype):
        return (np.zeros((2, 0, 4), dtype),)

    def call(self, x):
        return F.average(x, self.axis, keepdims=self.keepdims)


class TestMean(TestAverage):
    bad_inputs = {"a list": (([1.0],), InvalidType, ("mean", "x", "list"))}

    def call(self, x):
        return F.mean(x, self.axis, keepdims=self.keepdims)


class TestWeightedAverage(FunctionSuite):
    subjects = ("average",)
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


class TestWeightedMean(TestWeightedAverage):
    subjects = ("mean",)
    bad_inputs = {"weights": ((np.zeros((2, 3)), np.ones(2)), InvalidType, ("mean", "weights", "(3,)", "(2,)"))}

    def call(self, x, weights):
        return F.mean(x, self.axis, weights, True)


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


class Searching(FunctionSuite):
    cases = {"all": {"axis": None}, "an axis": {"axis": 1}, "from the end": {"axis": -2}}
    excluded = without_gradient("the result is of integers, which have no gradient")

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((3, 4)).astype(dtype),)

    def call(self, x):
        return self.function(x, self.axis)

    def reference(self, x):
        return self.numpy(x, self.axis)


class TestArgmax(Searching):
    function, numpy = staticmethod(F.argmax), staticmethod(np.argmax)
    bad_inputs = {
        "nothing": ((np.zeros((0, 3)),), InvalidType, ("argmax", "x", "at least one element", "(0, 3)")),
        "a list": (([1.0],), InvalidType, ("argmax", "x", "list")),
    }


class TestArgmin(Searching):
    function, numpy = staticmethod(F.argmin), staticmethod(np.argmin)
    bad_inputs = {
        "nothing": ((np.zeros((0, 3)),), InvalidType, ("argmin", "x", "at least one element", "(0, 3)")),
        "a list": (([1.0],), InvalidType, ("argmin", "x", "list")),
    }


class OfRows:
    cases = {"an axis": {"axis": 1}}
    bad_inputs = {}

    def empty_inputs(self, dtype):
        return (np.zeros((0, 4), dtype),)


class TestArgmaxOfRows(OfRows, TestArgmax):
    subjects = ("argmax",)


class TestArgminOfRows(OfRows, TestArgmin):
    subjects = ("argmin",)


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
