import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions.connection import shift
from renga_testing.function_suite import FunctionSuite


class TestShift(FunctionSuite):
    cases = {
        "3 x 3": {"shape": (2, 9, 3, 4), "ksize": 3, "dilate": 1},
        "channels left over": {"shape": (1, 11, 2, 3), "ksize": (1, 5), "dilate": 1},
        "several to a group": {"shape": (2, 7, 5, 2), "ksize": (3, 1), "dilate": 2},
        "out of the image": {"shape": (1, 9, 2, 2), "ksize": 3, "dilate": (3, 1)},
        "nothing moves": {"shape": (2, 3, 2, 2), "ksize": 1, "dilate": 1},
    }
    bad_inputs = {
        "too few channels": ((np.zeros((2, 8, 3, 3)),), InvalidType, ["shift: x", "9 channels", "(2, 8, 3, 3)"]),
        "three axes": ((np.zeros((9, 3, 3)),), InvalidType, ["shift: x", "4 axes"]),
        "a list": (([[[[1.0]]]],), InvalidType, ["shift: x", "array"]),
        "integers": ((np.zeros((2, 9, 3, 3), int),), InvalidType, ["shift: x", "floating"]),
    }

    def make_inputs(self, rng, dtype):
        return (rng.normal(size=self.shape).astype(dtype),)

    def call(self, x):
        return shift(x, self.ksize, self.dilate)

    def reference(self, x):
        """Pixel by pixel."""
        (kh, kw), (dy, dx) = (v if isinstance(v, tuple) else (v, v) for v in (self.ksize, self.dilate))
        groups = kh * kw
        y = np.zeros_like(x)
        for c, i, j in np.ndindex(*x.shape[1:]):
            group = min(c // (x.shape[1] // groups), groups - 1)
            element = {groups - 1: groups // 2, groups // 2: groups - 1}.get(group, group)
            if group == groups - 1:
                element = groups // 2
            row, column = i - (element // kw - kh // 2) * dy, j - (element % kw - kw // 2) * dx
            if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                y[:, c, i, j] = x[:, c, row, column]
        return y

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)


@pytest.mark.parametrize(("arguments", "message"), [({"ksize": 2}, "ksize must be odd"), ({"dilate": 0}, "dilate")])
def test_arguments_that_make_no_sense(arguments, message):
    with pytest.raises(ValueError, match=f"shift: {message}"):
        shift(np.zeros((1, 9, 3, 3)), **arguments)
