import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions.array import im2col
from renga_testing.function_suite import FunctionSuite

PLAIN = {"shape": (2, 2, 3, 4), "ksize": (2, 3), "stride": 1, "pad": 0, "cover_all": False, "dilate": 1}


def pair(value):
    return value if isinstance(value, tuple) else (value, value)


class TestIm2Col(FunctionSuite):
    cases = {
        "plain": PLAIN,
        "stride that leaves a rest": {**PLAIN, "stride": (2, 3)},
        "a border wider than the window": {**PLAIN, "ksize": 1, "pad": (1, 2)},
        "cover_all": {**PLAIN, "shape": (1, 1, 4, 5), "ksize": 2, "stride": 3, "cover_all": True},
        "dilated": {**PLAIN, "ksize": 2, "pad": 1, "dilate": (1, 2)},
    }
    bad_inputs = {
        "three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["im2col: x", "4 axes", "(2, 3, 4)"]),
        "a list": (([[[[1.0]]]],), InvalidType, ["im2col: x", "array"]),
        "integers": ((np.zeros((2, 2, 3, 4), int),), InvalidType, ["im2col: x", "floating"]),
        "too small": ((np.zeros((2, 2, 3, 2)),), InvalidType, ["im2col: x", "window of (2, 3) fits", "(2, 2, 3, 2)"]),
    }

    def make_inputs(self, rng, dtype):
        return (rng.normal(size=self.shape).astype(dtype),)

    def call(self, x):
        return im2col(x, self.ksize, self.stride, self.pad, self.cover_all, self.dilate)

    def reference(self, x):
        """Number by number."""
        (kh, kw), (sy, sx), (py, px), (dy, dx) = map(pair, (self.ksize, self.stride, self.pad, self.dilate))
        spans = x.shape[2] + 2 * py - (kh - 1) * dy - 1, x.shape[3] + 2 * px - (kw - 1) * dx - 1
        h, w = ((-(-n // s) if self.cover_all else n // s) + 1 for n, s in zip(spans, (sy, sx), strict=True))
        y = np.zeros((x.shape[0], x.shape[1], kh, kw, h, w))
        for k, m, i, j in np.ndindex(*y.shape[2:]):
            row, column = i * sy + k * dy - py, j * sx + m * dx - px
            if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                y[:, :, k, m, i, j] = x[:, :, row, column]
        return y.reshape(x.shape[0], x.shape[1] * kh * kw, h, w)

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)


@pytest.mark.torch
def test_agrees_with_pytorch():
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).normal(size=(2, 3, 7, 8))
    right = torch.nn.functional.unfold(torch.tensor(x), (3, 2), dilation=2, padding=1, stride=2)
    np.testing.assert_array_equal(im2col(x, (3, 2), 2, 1, dilate=2).array.reshape(right.shape), right)


@pytest.mark.parametrize("arguments", [{"ksize": 0}, {"ksize": 2, "stride": 0}, {"ksize": 2, "pad": (1, -1)}])
def test_arguments_that_make_no_sense(arguments):
    with pytest.raises(ValueError, match=f"im2col: {list(arguments)[-1]}"):
        im2col(np.zeros((1, 1, 3, 3)), **arguments)
