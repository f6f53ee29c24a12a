"""Functions whose own tests need one backend only, on all that are ready: docs/reference/functions-by-backend.md."""

from __future__ import annotations

import numpy as np
import pytest

from renga_core.backend import get_device, to_host
from renga_core.graph import InvalidType
from renga_nn.functions import (
    absolute,
    accuracy,
    argmax,
    argmin,
    average,
    binary_accuracy,
    broadcast_to,
    cast,
    ceil,
    floor,
    get_item,
    reshape,
    sign,
    squeeze,
    sum_to,
    transpose,
)
from renga_testing.function_suite import FunctionSuite, ready_backends


class OfOneArray(FunctionSuite):
    shape = (3, 1, 4)

    def make_inputs(self, rng, dtype):
        return ((rng.uniform(0.5, 2, self.shape) * rng.choice([-1, 1], self.shape)).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 1, 4), dtype),)


class TestAbsolute(OfOneArray):
    bad_inputs = {"a list": (([-1.0],), TypeError, ("absolute: x", "list"))}

    def call(self, x):
        return absolute(x)

    def reference(self, x):
        return np.abs(x)


class TestReshape(OfOneArray):
    bad_inputs = {"sizes": ((np.ones((3, 3)),), InvalidType, ("reshape", "x", "as many elements", "(2, 6)", "(3, 3)"))}

    def call(self, x):
        return reshape(x, (2, x.shape[0] * 2))

    def reference(self, x):
        return x.reshape(2, x.shape[0] * 2)


class TestTranspose(OfOneArray):
    cases = {"named": {"axes": (2, 0, -2)}, "all": {"axes": None}}
    bad_inputs = {
        "axes": ((np.ones((2, 2)),), ValueError, ("transpose", "(2, 0, -2)", "(2, 2)")),
        "a list": (([1.0],), InvalidType, ("transpose", "x", "list")),
    }

    def call(self, x):
        return transpose(x, self.axes)

    def reference(self, x):
        return np.transpose(x, self.axes)


class TestSqueeze(OfOneArray):
    cases = {"named": {"axis": 1}, "all": {"axis": None}}
    bad_inputs = {
        "another size": ((np.ones((3, 2)),), InvalidType, ("squeeze", "x", "axis 1 of size 1", "(3, 2)")),
        "no such axis": ((np.ones(3),), ValueError, ("squeeze", "axis 1")),
        "a list": (([1.0],), InvalidType, ("squeeze", "x", "list")),
    }

    def call(self, x):
        return squeeze(x, self.axis)

    def reference(self, x):
        return np.squeeze(x, self.axis)


class TestBroadcastTo(OfOneArray):
    bad_inputs = {"shape": ((np.ones((2, 3)),), InvalidType, ("broadcast_to", "x", "(2, 2, 5, 4)", "(2, 3)"))}

    def call(self, x):
        return broadcast_to(x, (2, x.shape[0], 5, 4))

    def reference(self, x):
        return np.broadcast_to(x, (2, x.shape[0], 5, 4))


class TestSumTo(OfOneArray):
    bad_inputs = {"shape": ((np.ones((2, 3)),), InvalidType, ("sum_to", "x", "(1, 4)", "(2, 3)"))}

    def call(self, x):
        return sum_to(x, (1, 4))

    def reference(self, x):
        return x.sum(axis=0)


class TestAverage(FunctionSuite):
    cases = {"all": {"axis": None, "weighted": (3, 4)}, "an axis": {"axis": 1, "weighted": (4,)}}
    bad_inputs = {
        "weights": ((np.ones((2, 3)), np.ones(2)), InvalidType, ("average", "weights", "(2, 3)", "(2,)")),
        "a list": (([1.0], np.ones(1)), InvalidType, ("average", "x", "list")),
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((3, 4)).astype(dtype), rng.uniform(0.5, 1, self.weighted).astype(dtype)

    def call(self, x, weights):
        return average(x, self.axis, weights)

    def reference(self, x, weights):
        return np.average(x, self.axis, weights)


class TestGetItem(FunctionSuite):
    cases = {
        "slices": {"index": (slice(3, 0, -2), ..., None, slice(None, 2), slice(None))},
        "a number": {"index": -1},
        "numbers, repeated": {"index": (slice(None), [0, 2, 0])},
        "pairs": {"index": ([1, 3, 1], [0, 2, 0])},
        "mask": {"index": np.array([True, False, True, True])},
    }
    bad_inputs = {
        "too many axes": ((np.ones(4),), IndexError, ("GetItem", "(4,)")),
        "a list": (([1.0],), TypeError, ("get_item: x", "list")),
    }

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((4, 3, 2)).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((4, 3, 0), dtype),)

    def call(self, x):
        index = self.index
        return get_item(x, x.device.send(index) if isinstance(index, np.ndarray) else index)

    def reference(self, x):
        return x[self.index]


@pytest.fixture(params=ready_backends())
def device(request):
    return get_device(request.param)


X = np.array([[0.2, -1.7, 3.5, -0.4], [2.5, -3.2, 0.9, 2.5]])


@pytest.mark.parametrize("function", [ceil, floor, sign])
def test_steps(device, function):
    y = function(device.send(X))
    np.testing.assert_array_equal(to_host(y), getattr(np, function.__name__)(X))


@pytest.mark.parametrize("axis", [None, 1, -2])
@pytest.mark.parametrize("function", [argmax, argmin])
def test_places(device, function, axis):
    y = function(device.send(X), axis)
    np.testing.assert_array_equal(to_host(y), getattr(np, function.__name__)(X, axis))
    assert y.dtype == np.int32


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_cast(device, dtype):
    y = cast(device.send(X.astype("float32")), dtype)
    np.testing.assert_array_equal(to_host(y), X.astype("float32").astype(dtype))
    assert y.dtype == dtype


@pytest.mark.parametrize("ignored", [None, 2])
def test_accuracy(device, ignored):
    y = accuracy(device.send(X), device.send(np.array([2, 1])), ignored)
    assert float(y) == (0.5 if ignored is None else 0.0)


def test_binary_accuracy(device):
    y = binary_accuracy(device.send(X), device.send(np.array([[1, 0, 0, -1], [1, 1, 1, 1]])))
    assert float(y) == pytest.approx(5 / 7)
