"""as_strided, diagonal, scatter_add."""

import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions import as_strided, diagonal, scatter_add
from renga_testing.function_suite import FunctionSuite


class TestAsStrided(FunctionSuite):
    cases = {
        "windows": {"args": ((3, 2, 2), (3, 1, 2))},
        "an offset": {"args": ((2, 2), (1, 4), 3)},
        "backwards": {"args": ((3, 2), (-2, 1), 6)},
        "one element for all": {"args": ((2, 3), (0, 0), 5)},
        "a number": {"args": ((), (), 2)},
    }
    bad_inputs = {"outside": ((np.zeros(9),), InvalidType, ("as_strided", "x", "elements 0 to 9", "(9,)"))}

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((4, 3)).astype(dtype),)

    def call(self, x):
        return as_strided(x, *self.args)

    def reference(self, x):
        shape, strides, *offset = self.args
        start = np.ascontiguousarray(x).reshape(-1)[sum(offset) :]
        return np.lib.stride_tricks.as_strided(start, shape, [x.itemsize * stride for stride in strides])


class TestAsStridedOfNothing(TestAsStrided):
    subjects = ("as_strided",)
    cases = {"nothing": {"args": ((2, 0), (100, 100))}}
    bad_inputs = {}

    def reference(self, x):
        return np.zeros((2, 0))

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


def test_as_strided_before_the_first_element():
    with pytest.raises(InvalidType, match="elements -1 to 1"):
        as_strided(np.zeros(3), (3,), (1,), -1)
    with pytest.raises(ValueError, match=r"strides \(1,\) do not fit the shape \(2, 2\)"):
        as_strided(np.zeros(3), (2, 2), (1,))


class TestDiagonal(FunctionSuite):
    cases = {
        "matrix": {"shape": (3, 4), "args": ()},
        "above": {"shape": (3, 4), "args": (2,)},
        "below": {"shape": (4, 3), "args": (-2,)},
        "beside": {"shape": (3, 2), "args": (2,)},
        "middle of three": {"shape": (2, 3, 4), "args": (1, -1, 0)},
        "swapped": {"shape": (2, 3, 4), "args": (-1, 2, 1)},
    }
    bad_inputs = {"vector": ((np.zeros(3),), ValueError, ("diagonal", "axis 1", "1 axes"))}

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(self.shape).astype(dtype),)

    def call(self, x):
        return diagonal(x, *self.args)

    def reference(self, x):
        return np.diagonal(x, *self.args)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3, 0)[: len(self.shape)], dtype),)


def test_the_axes_of_a_matrix_differ():
    with pytest.raises(ValueError, match="are one axis"):
        diagonal(np.zeros((2, 2)), 0, 1, -1)


class TestScatterAdd(FunctionSuite):
    cases = {
        "slices": {"index": (slice(1, 3), slice(None, None, 2)), "shape": (2, 2)},
        "a number": {"index": -1, "shape": (3,)},
        "repeated": {"index": np.array([0, 2, 0, 0]), "shape": (4, 3)},
        "pairs": {"index": (np.array([1, 3, 1]), np.array([0, 2, 0])), "shape": (3,)},
        "mask": {"index": np.array([True, False, True, True]), "shape": (3, 3)},
        "broadcast": {"index": np.array([0, 2, 0]), "shape": (3,)},
        "broadcast to slices": {"index": (slice(0, 2),), "shape": (1, 3)},
    }
    bad_inputs = {
        "shapes": ((np.zeros((4, 3)), np.zeros((5, 2))), InvalidType, ("scatter_add", "b", "(4, 3)", "(5, 2)")),
        "dtypes": ((np.zeros((4, 3)), np.zeros((2, 2), "f")), InvalidType, ("scatter_add", "b", "float64", "float32")),
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((4, 3, 2)).astype(dtype), rng.standard_normal((*self.shape, 2)).astype(dtype)

    def empty_inputs(self, dtype):
        return np.zeros((4, 3, 0), dtype), np.zeros((*self.shape, 0), dtype)

    def call(self, a, b):
        def sent(part):
            return a.device.send(part) if isinstance(part, np.ndarray) else part

        index = self.index
        return scatter_add(a, tuple(map(sent, index)) if isinstance(index, tuple) else sent(index), b)

    def reference(self, a, b):
        y = a.copy()
        np.add.at(y, self.index, b)
        return y
