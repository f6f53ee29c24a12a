import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.connection import convolution_2d, deconvolution_2d
from renga_testing.function_suite import FunctionSuite

DEFAULTS = {"stride": 1, "pad": 0, "dilate": 1, "groups": 1, "outsize": None, "bias": True, "size": (6, 4)}


def pair(value):
    return value if isinstance(value, tuple) else (value, value)


class TestDeconvolution2D(FunctionSuite):
    cases = {
        "plain": {**DEFAULTS, "size": (6, 4)},
        "stride": {**DEFAULTS, "stride": (2, 3), "size": (9, 8)},
        "padded": {**DEFAULTS, "pad": (1, 0), "stride": 2, "size": (7, 6)},
        "dilated": {**DEFAULTS, "dilate": (1, 3), "size": (6, 6)},
        "groups": {**DEFAULTS, "groups": 2, "size": (6, 4)},
        "a larger size": {**DEFAULTS, "stride": 2, "outsize": (10, 7), "size": (10, 7)},
        "a smaller size": {**DEFAULTS, "stride": 2, "outsize": (8, 5), "size": (8, 5), "bias": False},
    }
    bad_inputs = {
        "channels": (
            (np.zeros((2, 3, 5, 5)), np.zeros((6, 4, 3, 2))),
            InvalidType,
            ["deconvolution_2d: x", "6 channels", "(6, 4, 3, 2)", "(2, 3, 5, 5)"],
        ),
        "bias": (
            (np.zeros((2, 6, 5, 5)), np.zeros((6, 4, 3, 2)), np.zeros(6)),
            InvalidType,
            ["deconvolution_2d: b", "(4,)"],
        ),
    }
    tolerances = {"float16": 3e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        arrays = rng.normal(size=(2, 6, 4, 3)), rng.normal(size=(6, 4 // self.groups, 3, 2)), rng.normal(size=4)
        return tuple(a.astype(dtype) for a in arrays[: 3 if self.bias else 2])

    def call(self, x, W, b=None):
        return deconvolution_2d(x, W, b, self.stride, self.pad, self.outsize, dilate=self.dilate, groups=self.groups)

    def reference(self, x, W, b=None):
        """The definition: paint each filter at each place, then cut off the border."""
        (sh, sw), (ph, pw), (dh, dw) = pair(self.stride), pair(self.pad), pair(self.dilate)
        outputs = W.shape[1] * self.groups
        canvas = np.zeros((x.shape[0], outputs, 40, 40))
        for c in range(x.shape[1]):
            first = c // (x.shape[1] // self.groups) * W.shape[1]
            for i, j in np.ndindex(*x.shape[2:]):
                for k, m in np.ndindex(*W.shape[2:]):
                    place = (slice(None), slice(first, first + W.shape[1]), i * sh + k * dh, j * sw + m * dw)
                    canvas[place] += x[:, c, i, j, None] * W[c, :, k, m]
        y = canvas[:, :, ph : ph + self.size[0], pw : pw + self.size[1]]
        return y if b is None else y + b[:, None, None]

    def empty_inputs(self, dtype):
        return np.ones((0, 6, 4, 3), dtype), np.ones((6, 4 // self.groups, 3, 2), dtype), np.ones(4, dtype)


def test_it_is_the_transpose_of_convolution():
    rng = np.random.default_rng(0)
    x, W = rng.normal(size=(2, 3, 7, 8)), rng.normal(size=(4, 3, 3, 3))
    y = convolution_2d(x, W, stride=2, pad=1)
    gy = rng.normal(size=y.shape)
    back = deconvolution_2d(gy, W, stride=2, pad=1, outsize=(7, 8))
    np.testing.assert_allclose((y.array * gy).sum(), (x * back.array).sum())


def test_a_size_that_no_convolution_maps_to_the_input():
    with pytest.raises(ValueError, match=r"outsize: expected 5 to 7 .* float64 \(1, 1, 3, 3\), got \(9, 5\)"):
        deconvolution_2d(np.zeros((1, 1, 3, 3)), np.zeros((1, 1, 2, 2)), stride=2, outsize=(9, 5))


def test_nothing_left_after_the_border():
    with pytest.raises(InvalidType, match="leave something after pad=2"):
        deconvolution_2d(Variable(np.zeros((1, 1, 1, 1))), np.zeros((1, 1, 3, 3)), pad=2)
