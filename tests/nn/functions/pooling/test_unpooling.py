import itertools

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import (
    max_pooling_2d,
    unpooling_1d,
    unpooling_2d,
    unpooling_3d,
    unpooling_nd,
    upsampling_2d,
)
from renga_testing.function_suite import FunctionSuite


def each(value, n):
    return value if isinstance(value, tuple) else (value,) * n


def painted(x, ksize, stride, pad, outsize, mark):
    """Each element of `x` into the elements of its window that `mark(index, offset)` picks, in a loop."""
    n = x.ndim - 2
    ks, ps = each(ksize, n), each(pad, n)
    ss = ks if stride is None else each(stride, n)
    y = np.zeros((*x.shape[:2], *outsize))
    for index in np.ndindex(x.shape):
        for number, offset in enumerate(itertools.product(*map(range, ks))):
            place = tuple(i * s + o - p for i, s, o, p in zip(index[2:], ss, offset, ps, strict=True))
            if all(0 <= a < size for a, size in zip(place, outsize, strict=True)) and mark(index, number):
                y[(*index[:2], *place)] += x[index]
    return y


class UnpoolingSuite(FunctionSuite):
    def make_inputs(self, rng, dtype):
        return (rng.uniform(-1, 1, (2, 2, *self.size)).astype(dtype),)

    def reference(self, x):
        ksize, stride, pad = (*self.args, *(None, 0)[len(self.args) - 1 :])[:3]
        return painted(x, ksize, stride, pad, self.out, lambda index, number: True)

    def empty_inputs(self, dtype):
        return (np.ones((0, 2, *self.size), dtype),)


class TestUnpooling1D(UnpoolingSuite):
    size, args, out = (4,), (3, 2, 1), (6,)
    bad_inputs = {
        "an image": ((np.zeros((2, 3, 4, 4)),), InvalidType, ["unpooling_1d: x", "3 axes", "(2, 3, 4, 4)"]),
        "integers": ((np.zeros((2, 3, 4), int),), InvalidType, ["unpooling_1d: x", "floating"]),
    }

    def call(self, x):
        return unpooling_1d(x, *self.args)


class TestUnpooling2D(UnpoolingSuite):
    cases = {
        "plain": {"size": (3, 2), "args": (2,), "out": (5, 3)},
        "nothing beyond": {"size": (3, 2), "args": (2, None, 0, None, False), "out": (6, 4)},
        "overlapping": {"size": (3, 2), "args": (3, (1, 2), 1, None, False), "out": (3, 3)},
        "far apart": {"size": (2, 2), "args": (1, 3, 0, (5, 6)), "out": (5, 6)},
        "another size": {"size": (3, 2), "args": (2, 2, 0, (6, 4)), "out": (6, 4)},
    }
    bad_inputs = {
        "three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["unpooling_2d: x", "4 axes", "(2, 3, 4)"]),
        "integers": ((np.zeros((2, 3, 4, 4), int),), InvalidType, ["unpooling_2d: x", "floating"]),
    }

    def call(self, x):
        return unpooling_2d(x, *self.args)


class TestUnpooling3D(UnpoolingSuite):
    size, args, out = (2, 2, 3), (2, None, 0, None, False), (4, 4, 6)
    bad_inputs = {
        "an image": ((np.zeros((2, 3, 4, 4)),), InvalidType, ["unpooling_3d: x", "5 axes", "(2, 3, 4, 4)"]),
        "integers": ((np.zeros((2, 3, 4, 4, 4), int),), InvalidType, ["unpooling_3d: x", "floating"]),
    }

    def call(self, x):
        return unpooling_3d(x, *self.args)


class TestUnpoolingND(UnpoolingSuite):
    size, args, out = (3, 2), ((3, 2), 2, (1, 0), (4, 4), True), (4, 4)
    bad_inputs = {
        "another number of axes": ((np.zeros((2, 3, 4)),), ValueError, ["unpooling_nd"]),
        "integers": ((np.zeros((2, 3, 4, 4), int),), InvalidType, ["unpooling_nd: x", "floating"]),
    }

    def call(self, x):
        return unpooling_nd(x, *self.args)


class TestUpsampling2D(FunctionSuite):
    cases = {
        "side by side": {"args": (2, None, 0, None, False), "out": (6, 4), "elements": 4},
        "beyond the end": {"args": (2, None, 0, (5, 3)), "out": (5, 3), "elements": 4},
        "overlapping": {"args": ((3, 2), 1, (1, 0), None, False), "out": (3, 3), "elements": 6},
    }
    bad_inputs = {
        "floating indexes": (
            (np.zeros((1, 1, 2, 2)), np.zeros((1, 1, 2, 2))),
            InvalidType,
            ["upsampling_2d: indexes", "integers", "float64"],
        ),
        "another shape": (
            (np.zeros((1, 1, 2, 2)), np.zeros((1, 1, 2, 3), int)),
            InvalidType,
            ["upsampling_2d: indexes", "(1, 1, 2, 2)", "(1, 1, 2, 3)"],
        ),
        "beyond the window": (
            (np.zeros((1, 1, 1, 1)), np.full((1, 1, 1, 1), 4)),
            ValueError,
            ["from 4 to 4", "(2, 2)"],
        ),
    }

    def make_inputs(self, rng, dtype):
        return rng.uniform(-1, 1, (2, 2, 3, 2)).astype(dtype), rng.integers(0, self.elements, (2, 2, 3, 2))

    def call(self, x, indexes):
        return upsampling_2d(x, indexes, *self.args)

    def reference(self, x, indexes):
        return painted(x, *self.args[:3], self.out, lambda index, number: indexes[index] == number)

    def empty_inputs(self, dtype):
        return np.ones((0, 2, 3, 2), dtype), np.ones((0, 2, 3, 2), int)


def test_upsampling_undoes_pooling_where_the_maxima_were():
    x = np.random.default_rng(0).normal(size=(2, 3, 7, 6))
    y, indexes = max_pooling_2d(x, 3, return_indices=True)
    back = upsampling_2d(y, indexes, 3, outsize=(7, 6)).array
    assert (back != 0).sum() == y.size
    np.testing.assert_array_equal(back[back != 0], x[back != 0])


def test_a_size_that_pooling_would_not_lead_from():
    with pytest.raises(
        ValueError,
        match=r"expected images of \(5, 5\), the positions .* on images of \(9, 9\)",
    ):
        unpooling_2d(np.zeros((1, 1, 2, 2)), 2, outsize=9)


def test_a_border_that_leaves_nothing():
    with pytest.raises(ValueError, match="leave nothing"):
        unpooling_1d(np.zeros((1, 1, 1)), 2, pad=1)


def test_onto_images_of_no_size():
    x = Variable(np.ones((1, 1, 2, 2)))
    y = unpooling_nd(x, 1, stride=1, pad=1)
    assert y.shape == (1, 1, 0, 0)
    y.grad = y.array.copy()
    y.backward()
    np.testing.assert_array_equal(x.grad, np.zeros(x.shape))
