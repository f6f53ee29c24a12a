import itertools

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.connection import convolution_2d, convolution_reference
from renga_testing.function_suite import FunctionSuite

DEFAULTS = {
    "stride": 1,
    "pad": 0,
    "dilate": 1,
    "groups": 1,
    "cover_all": False,
    "bias": True,
    "x": (2, 4, 5, 6),
    "k": (3, 2),
}


def naive_convolution(x, W, b, stride, pad, dilate, groups, out):
    """The definition, one window at a time."""
    (sh, sw), (ph, pw), (dh, dw) = stride, pad, dilate
    outputs, per_group = W.shape[0] // groups, W.shape[1]
    far = [(o - 1) * s + (k - 1) * d + 1 for o, s, k, d in zip(out, stride, W.shape[2:], dilate, strict=True)]
    padded = np.zeros((*x.shape[:2], max(far[0], x.shape[2] + ph), max(far[1], x.shape[3] + pw)))
    padded[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]] = x
    y = np.zeros((x.shape[0], W.shape[0], *out))
    for o, i, j in itertools.product(range(W.shape[0]), range(out[0]), range(out[1])):
        first = o // outputs * per_group
        window = padded[:, first : first + per_group, i * sh : i * sh + (W.shape[2] - 1) * dh + 1 : dh]
        window = window[..., j * sw : j * sw + (W.shape[3] - 1) * dw + 1 : dw]
        y[:, o, i, j] = (window * W[o]).sum(axis=(1, 2, 3)) + (0 if b is None else b[o])
    return y


def pair(value):
    return value if isinstance(value, tuple) else (value, value)


class TestConvolution2D(FunctionSuite):
    cases = {
        "plain": DEFAULTS,
        "1x1": {**DEFAULTS, "k": (1, 1)},
        "1x1 with a stride": {**DEFAULTS, "k": (1, 1), "stride": 2},
        "padded": {**DEFAULTS, "pad": (1, 2)},
        "stride that leaves a rest": {**DEFAULTS, "stride": (2, 3)},
        "dilated": {**DEFAULTS, "dilate": (2, 3), "pad": 1},
        "groups": {**DEFAULTS, "groups": 2},
        "depthwise": {**DEFAULTS, "groups": 4, "pad": 1, "stride": 2},
        "cover_all": {**DEFAULTS, "stride": 3, "cover_all": True, "bias": False},
        "everything": {**DEFAULTS, "stride": (2, 1), "pad": (2, 1), "dilate": (1, 2), "groups": 2, "bias": False},
    }
    bad_inputs = {
        "three axes": (
            (np.zeros((2, 4, 5)), np.zeros((6, 4, 3, 2))),
            InvalidType,
            ["convolution_2d: x", "4 axes", "(2, 4, 5)"],
        ),
        "channels": (
            (np.zeros((2, 3, 5, 5)), np.zeros((6, 4, 3, 2))),
            InvalidType,
            ["convolution_2d: x", "4 channels", "(6, 4, 3, 2)", "(2, 3, 5, 5)"],
        ),
        "bias": (
            (np.zeros((2, 4, 5, 5)), np.zeros((6, 4, 3, 2)), np.zeros(4)),
            InvalidType,
            ["convolution_2d: b", "(6,)"],
        ),
        "filters too large": (
            (np.zeros((2, 4, 2, 5)), np.zeros((6, 4, 3, 2))),
            InvalidType,
            ["fits into", "(2, 4, 2, 5)"],
        ),
        "integers": ((np.zeros((2, 4, 5, 5), int), np.zeros((6, 4, 3, 2))), InvalidType, ["floating"]),
    }
    tolerances = {"float16": 3e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        filters = (8, self.x[1] // self.groups, *self.k)
        arrays = rng.normal(size=self.x), rng.normal(size=filters), rng.normal(size=8)
        return tuple(a.astype(dtype) for a in arrays[: 3 if self.bias else 2])

    def call(self, x, W, b=None):
        return convolution_2d(x, W, b, self.stride, self.pad, self.cover_all, dilate=self.dilate, groups=self.groups)

    def reference(self, x, W, b=None):
        out = []
        for n, k, s, p, d in zip(
            x.shape[2:], W.shape[2:], *map(pair, (self.stride, self.pad, self.dilate)), strict=True
        ):
            span = n + 2 * p - d * (k - 1) - 1
            out.append((-(-span // s) if self.cover_all else span // s) + 1)
        return naive_convolution(x, W, b, pair(self.stride), pair(self.pad), pair(self.dilate), self.groups, out)

    def empty_inputs(self, dtype):
        return (
            np.ones((0, *self.x[1:]), dtype),
            np.ones((8, self.x[1] // self.groups, *self.k), dtype),
            np.ones(8, dtype),
        )


@pytest.mark.parametrize("arguments", [{"stride": 0}, {"pad": -1}, {"dilate": (1, 2, 3)}, {"groups": 3}, {"groups": 0}])
def test_arguments_that_make_no_sense(arguments):
    with pytest.raises(ValueError, match=f"convolution_2d: {next(iter(arguments))}"):
        convolution_2d(Variable(np.zeros((1, 4, 5, 5))), np.zeros((4, 4, 3, 3)), **arguments)


def test_an_argument_that_is_no_integer():
    with pytest.raises(TypeError, match=r"convolution_2d: stride must be an integer or 2 of them, not 1\.5"):
        convolution_2d(Variable(np.zeros((1, 4, 5, 5))), np.zeros((4, 4, 3, 3)), stride=1.5)


def test_large_batches_go_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    x, W, b = rng.normal(size=(7, 2, 5, 5)), rng.normal(size=(3, 2, 3, 3)), rng.normal(size=3)
    arguments = ((1, 1), (1, 1), (1, 1), 1)
    whole = convolution_reference.convolution(x, W, b, *arguments, (5, 5))
    whole_filters = convolution_reference.filter_gradient(x, whole, *arguments, (3, 3))
    monkeypatch.setattr(convolution_reference, "_BLOCK", 2 * 25 * 9 * 2)
    np.testing.assert_allclose(convolution_reference.convolution(x, W, b, *arguments, (5, 5)), whole)
    np.testing.assert_allclose(convolution_reference.filter_gradient(x, whole, *arguments, (3, 3)), whole_filters)
