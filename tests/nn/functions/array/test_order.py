"""flip, permutate, repeat, tile, depth2space, space2depth."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import InvalidType
from renga_nn.functions import depth2space, flip, fliplr, flipud, permutate, repeat, space2depth, tile
from renga_testing.function_suite import FunctionSuite


class OfOneArray(FunctionSuite):
    shape = (2, 3, 4)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(self.shape).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((2, 0, 4), dtype),)


class TestFlip(OfOneArray):
    cases = {"first": {"axis": 0}, "last": {"axis": -1}, "middle": {"axis": 1}}
    bad_inputs = {"no axes": ((np.zeros(()),), ValueError, ("flip", "axis 0", "0 axes"))}

    def call(self, x):
        return flip(x, self.axis)

    def reference(self, x):
        return np.flip(x, self.axis)


class TestFlipLR(OfOneArray):
    bad_inputs = {"vector": ((np.zeros(2),), ValueError, ("fliplr", "axis 1", "1 axes"))}

    def call(self, x):
        return fliplr(x)

    def reference(self, x):
        return np.fliplr(x)


class TestFlipUD(OfOneArray):
    bad_inputs = {"no axes": ((np.zeros(()),), ValueError, ("flipud", "axis 0", "0 axes"))}

    def call(self, x):
        return flipud(x)

    def reference(self, x):
        return np.flipud(x)


class TestPermutate(FunctionSuite):
    cases = {
        "first axis": {"axis": 0, "inv": False, "order": [2, 0, 3, 1]},
        "last axis": {"axis": -1, "inv": False, "order": [1, 2, 0]},
        "inverse": {"axis": 0, "inv": True, "order": [2, 0, 3, 1]},
        "inverse, last axis": {"axis": 1, "inv": True, "order": [1, 2, 0]},
    }
    bad_inputs = {
        "too few": ((np.zeros((4, 3)), np.arange(3)), InvalidType, ("permutate", "indices", "(4,) integers", "(3,)")),
        "floating": ((np.zeros((2, 3)), np.zeros(2)), InvalidType, ("permutate", "integers", "float64 (2,)")),
        "list": ((np.zeros((2, 3)), [0, 1]), InvalidType, ("permutate", "indices", "list")),
        "repeated": ((np.zeros((2, 3)), np.array([1, 1])), ValueError, ("permutate", "not a permutation of 0 to 1")),
        "negative": ((np.zeros((2, 3)), np.array([0, -1])), ValueError, ("permutate", "not a permutation of 0 to 1")),
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((4, 3)).astype(dtype), np.array(self.order)

    def call(self, x, indices):
        return permutate(x, indices, self.axis, self.inv)

    def reference(self, x, indices):
        return np.take(x, np.argsort(indices) if self.inv else indices, self.axis)

    def empty_inputs(self, dtype):
        shape = (4, 0) if self.axis == 0 else (0, 3)
        return np.zeros(shape, dtype), np.array(self.order)


def test_permutations_are_not_checked_without_type_check():
    with using_config("type_check", False):
        assert permutate(np.array([1.0, 2.0]), np.array([1, 1])).array.tolist() == [2, 2]


class TestRepeat(OfOneArray):
    cases = {
        "flat": {"repeats": 2, "axis": None},
        "an axis": {"repeats": 3, "axis": 1},
        "one number in a tuple": {"repeats": (2,), "axis": -1},
        "each element": {"repeats": (1, 0, 3, 2), "axis": -1},
        "not at all": {"repeats": 0, "axis": 0},
    }
    bad_inputs = {"no axes": ((np.zeros((2, 3)),), ValueError, ("repeat", "one for each of 3", "(1, 0)"))}

    def call(self, x):
        return repeat(x, (1, 0) if x.ndim == 2 else self.repeats, self.axis if x.ndim == 3 else 1)

    def reference(self, x):
        return np.repeat(x, self.repeats, self.axis)


class TestTile(OfOneArray):
    cases = {
        "a number": {"reps": 2},
        "fewer": {"reps": (2, 3)},
        "as many": {"reps": (2, 1, 3)},
        "more": {"reps": (2, 3, 1, 1, 2)},
        "not at all": {"reps": (1, 0, 2)},
    }
    bad_inputs = {"a list": (([1.0],), InvalidType, ("tile", "x", "list"))}

    def call(self, x):
        return tile(x, self.reps)

    def reference(self, x):
        return np.tile(x, self.reps)


def test_negative_numbers():
    with pytest.raises(ValueError, match="has a negative number"):
        tile(np.zeros(2), (1, -1))
    with pytest.raises(ValueError, match="repeat: repeats -1"):
        repeat(np.zeros(2), -1)


def image_of_pixels(x, r):
    """Pixel by pixel, as the definition says."""
    n, channels, height, width = x.shape
    c = channels // r**2
    y = np.zeros((n, c, height * r, width * r))
    for k, i, j in np.ndindex(c, r, r):
        y[:, k, i::r, j::r] = x[:, (i * r + j) * c + k]
    return y


class TestDepth2Space(OfOneArray):
    cases = {"two": {"r": 2, "shape": (2, 8, 2, 3)}, "one": {"r": 1, "shape": (1, 2, 3, 2)}}
    bad_inputs = {
        "channels": ((np.zeros((1, 6, 2, 2)),), InvalidType, ("depth2space", "X", "divisible by 4", "(1, 6, 2, 2)")),
        "axes": ((np.zeros((4, 2, 2)),), InvalidType, ("depth2space", "X", "(N, C, H, W)", "(4, 2, 2)")),
        "integers": ((np.zeros((1, 4, 2, 2), int),), InvalidType, ("depth2space", "X", "floating")),
        "list": (([[1.0]],), InvalidType, ("depth2space", "X", "an array", "list")),
    }

    def call(self, x):
        return depth2space(x, self.r)

    def reference(self, x):
        return image_of_pixels(x, self.r)

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)


class TestSpace2Depth(OfOneArray):
    cases = {"two": {"r": 2, "shape": (2, 3, 4, 6)}, "three": {"r": 3, "shape": (1, 1, 6, 3)}}
    bad_inputs = {
        "height": ((np.zeros((1, 1, 3, 4)),), InvalidType, ("space2depth", "X", "divisible by 2", "(1, 1, 3, 4)")),
        "axes": ((np.zeros((4, 2, 2)),), InvalidType, ("space2depth", "X", "(N, C, H, W)", "(4, 2, 2)")),
    }

    def call(self, x):
        return space2depth(x, self.r)

    def reference(self, x):
        c = x.shape[1]
        places = [(i, j) for i in range(self.r) for j in range(self.r)]
        y = np.concatenate([x[:, :, i :: self.r, j :: self.r] for i, j in places], axis=1)
        assert y.shape[1] == c * self.r**2
        return y

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)


def test_there_and_back():
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 6))
    np.testing.assert_array_equal(depth2space(space2depth(x, 2), 2).array, x)
    with pytest.raises(ValueError, match="r is 0"):
        depth2space(x, 0)
