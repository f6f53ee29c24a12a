"""crelu, maxout: what changes the number of channels."""

import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions import crelu, maxout
from renga_testing.function_suite import FunctionSuite


class OfOneArray(FunctionSuite):
    shape = (2, 6, 3)

    def make_inputs(self, rng, dtype):
        # No two elements are near to each other, or to 0.
        size = int(np.prod(self.shape))
        values = (np.arange(size) - size // 2 + 0.5) / 8
        return (rng.permutation(values).reshape(self.shape).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)


class TestCReLU(OfOneArray):
    cases = {"default": {"args": (), "axis": 1}, "last": {"args": (-1,), "axis": 2}}
    bad_inputs = {
        "axis": ((np.zeros(3),), ValueError, ("crelu", "axis 1", "1 axes")),
        "integers": ((np.zeros((2, 3), int),), InvalidType, ("a floating dtype", "int64 (2, 3)")),
    }

    def call(self, x):
        return crelu(x, *self.args)

    def reference(self, x):
        return np.concatenate((np.maximum(x, 0), np.maximum(-x, 0)), axis=self.axis)


class TestMaxout(OfOneArray):
    cases = {
        "default": {"args": (2,), "axis": 1},
        "last": {"args": (3, -1), "axis": 2},
        "one": {"args": (1,), "axis": 1},
    }
    bad_inputs = {
        "size": ((np.zeros((2, 5)),), InvalidType, ("maxout", "x", "axis 1 divisible by 2", "(2, 5)")),
        "axis": ((np.zeros(3),), ValueError, ("maxout", "axis 1", "1 axes")),
        "integers": ((np.zeros((2, 4), int),), InvalidType, ("maxout", "x", "a floating dtype", "int64 (2, 4)")),
        "list": (([[1.0, 2.0]],), InvalidType, ("maxout", "x", "an array", "list")),
    }

    def call(self, x):
        return maxout(x, *self.args)

    def reference(self, x):
        size = self.args[0]
        parts = np.split(x, x.shape[self.axis] // size, axis=self.axis)
        return np.stack([part.max(axis=self.axis) for part in parts], axis=self.axis)


def test_pool_size():
    with pytest.raises(ValueError, match="pool_size is 0"):
        maxout(np.zeros((1, 2)), 0)
