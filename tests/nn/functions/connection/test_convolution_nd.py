import itertools

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.connection import (
    convolution_1d,
    convolution_3d,
    convolution_nd,
    deconvolution_1d,
    deconvolution_3d,
    deconvolution_nd,
)
from renga_testing.function_suite import FunctionSuite

DEFAULTS = {"stride": 1, "pad": 0, "dilate": 1, "groups": 1, "cover_all": False, "outsize": None, "bias": True}
HALF = {"float16": 3e-2, "float32": 1e-5, "float64": 1e-11}


def each(value, n):
    return value if isinstance(value, tuple) else (value,) * n


def pairs(x_channels, W, groups):
    """Which channel of the input meets which of the filter and of the output, for a convolution."""
    outputs = W.shape[0] // groups
    for o, c in np.ndindex(*W.shape[:2]):
        yield o, c, o // outputs * W.shape[1] + c


def naive_convolution(x, W, b, stride, pad, dilate, groups, cover_all):
    """The definition, one window at a time, over any number of axes."""
    n_axes = x.ndim - 2
    stride, pad, dilate = (each(v, n_axes) for v in (stride, pad, dilate))
    sizes = zip(x.shape[2:], W.shape[2:], stride, pad, dilate, strict=True)
    spans = [(n + 2 * p - d * (k - 1) - 1, s) for n, k, s, p, d in sizes]
    out = [(-(-span // s) if cover_all else span // s) + 1 for span, s in spans]
    padded = np.pad(x, ((0, 0), (0, 0), *[(p, p + 9) for p in pad]))
    y = np.zeros((x.shape[0], W.shape[0], *out))
    for place in np.ndindex(*out):
        for offset in np.ndindex(*W.shape[2:]):
            at = tuple(i * s + k * d for i, s, k, d in zip(place, stride, offset, dilate, strict=True))
            for o, c, channel in pairs(x.shape[1], W, groups):
                y[(slice(None), o, *place)] += padded[(slice(None), channel, *at)] * W[(o, c, *offset)]
    return y if b is None else y + b.reshape(-1, *(1,) * n_axes)


def naive_deconvolution(x, W, b, stride, pad, dilate, groups, outsize):
    """The definition: paint each filter at each place, then cut off the border."""
    n_axes = x.ndim - 2
    stride, pad, dilate = (each(v, n_axes) for v in (stride, pad, dilate))
    canvas = np.zeros((x.shape[0], W.shape[1] * groups, *(25,) * n_axes))
    for place, offset in itertools.product(np.ndindex(*x.shape[2:]), np.ndindex(*W.shape[2:])):
        at = tuple(i * s + k * d for i, s, k, d in zip(place, stride, offset, dilate, strict=True))
        for o, c, channel in pairs(x.shape[1], W, groups):
            canvas[(slice(None), channel, *at)] += x[(slice(None), o, *place)] * W[(o, c, *offset)]
    if outsize is not None:
        outsize = each(outsize, n_axes)
    else:
        sizes = zip(x.shape[2:], W.shape[2:], stride, pad, dilate, strict=True)
        outsize = [s * (n - 1) + d * (k - 1) + 1 - 2 * p for n, k, s, p, d in sizes]
    y = canvas[(..., *[slice(p, p + n) for p, n in zip(pad, outsize, strict=True)])]
    return y if b is None else y + b.reshape(-1, *(1,) * n_axes)


class OfConvolution(FunctionSuite):
    tolerances = HALF

    def make_inputs(self, rng, dtype):
        x, W = self.shapes
        arrays = rng.normal(size=x), rng.normal(size=W), rng.normal(size=self.biases(W))
        return tuple(a.astype(dtype) for a in arrays[: 3 if self.bias else 2])

    def biases(self, W):
        return W[0]

    def empty_inputs(self, dtype):
        x, W = self.shapes
        return np.ones((0, *x[1:]), dtype), np.ones(W, dtype), np.ones(self.biases(W), dtype)

    def reference(self, x, W, b=None):
        return naive_convolution(x, W, b, self.stride, self.pad, self.dilate, self.groups, self.cover_all)


class TestConvolution1D(OfConvolution):
    cases = {
        "plain": {**DEFAULTS, "shapes": ((2, 3, 7), (4, 3, 3))},
        "everything": {
            **DEFAULTS,
            "stride": 2,
            "pad": (2,),
            "dilate": 2,
            "groups": 2,
            "cover_all": True,
            "bias": False,
            "shapes": ((2, 4, 8), (6, 2, 3)),
        },
    }
    bad_inputs = {
        "images": (
            (np.zeros((2, 3, 5, 5)), np.zeros((4, 3, 3))),
            InvalidType,
            ["convolution_1d: x", "3 axes", "(2, 3, 5, 5)"],
        ),
        "integers": ((np.zeros((2, 3, 5), int), np.zeros((4, 3, 3))), InvalidType, ["convolution_1d: x", "floating"]),
        "channels": ((np.zeros((2, 2, 5)), np.zeros((4, 3, 3))), InvalidType, ["convolution_1d: x", "3 channels"]),
    }

    def call(self, x, W, b=None):
        return convolution_1d(x, W, b, self.stride, self.pad, self.cover_all, self.dilate, self.groups)


class TestConvolution3D(OfConvolution):
    cases = {
        "plain": {**DEFAULTS, "shapes": ((1, 2, 3, 3, 2), (2, 2, 2, 2, 2))},
        "everything": {
            **DEFAULTS,
            "stride": (1, 2, 1),
            "pad": (1, 0, 1),
            "dilate": (2, 1, 1),
            "groups": 2,
            "shapes": ((2, 2, 3, 4, 1), (2, 1, 2, 2, 1)),
        },
    }
    bad_inputs = {
        "too few axes": ((np.zeros((2, 3, 5)), np.zeros((4, 3, 3))), InvalidType, ["convolution_3d: x", "5 axes"]),
        "filters too large": (
            (np.zeros((2, 3, 1, 2, 3)), np.zeros((4, 3, 1, 3, 3))),
            InvalidType,
            ["convolution_3d: x", "fits into"],
        ),
    }

    def call(self, x, W, b=None):
        return convolution_3d(x, W, b, self.stride, self.pad, self.cover_all, self.dilate, self.groups)


class TestConvolutionND(OfConvolution):
    cases = {
        "two axes": {**DEFAULTS, "pad": (1, 0), "stride": 2, "shapes": ((2, 2, 3, 4), (2, 2, 2, 3))},
        "two axes, many groups": {**DEFAULTS, "groups": 9, "pad": 1, "shapes": ((2, 9, 3, 2), (9, 1, 3, 2))},
        "one axis, two filters for each channel": {
            **DEFAULTS,
            "groups": 8,
            "stride": 2,
            "dilate": 2,
            "cover_all": True,
            "shapes": ((3, 8, 6), (16, 1, 2)),
        },
        "four axes": {**DEFAULTS, "bias": False, "shapes": ((1, 1, 2, 2, 3, 2), (1, 1, 2, 1, 2, 2))},
    }
    bad_inputs = {
        "a list": (([[[1.0]]], np.zeros((4, 1, 1))), InvalidType, ["convolution_nd: x", "array"]),
        "a list of filters": ((np.zeros((2, 3, 3)), [[[1.0]]]), InvalidType, ["convolution_nd: W", "array"]),
        "a list of biases": ((np.zeros((2, 1, 3)), np.zeros((2, 1, 1)), [1, 2]), InvalidType, ["_nd: b", "array"]),
        "no axis": ((np.zeros((2, 3)), np.zeros((4, 3))), InvalidType, ["convolution_nd: x", "3 axes", "(2, 3)"]),
        "W of other axes": ((np.zeros((2, 3, 5)), np.zeros((4, 3))), InvalidType, ["convolution_nd: W", "(4, 3)"]),
        "bias": (
            (np.zeros((2, 3, 5)), np.zeros((4, 3, 2)), np.zeros(3)),
            InvalidType,
            ["convolution_nd: b", "(4,)", "(3,)"],
        ),
    }

    def call(self, x, W, b=None):
        return convolution_nd(x, W, b, self.stride, self.pad, self.cover_all, self.dilate, self.groups)


class OfDeconvolution(OfConvolution):
    def biases(self, W):
        return W[1] * self.groups

    def reference(self, x, W, b=None):
        return naive_deconvolution(x, W, b, self.stride, self.pad, self.dilate, self.groups, self.outsize)


class TestDeconvolution1D(OfDeconvolution):
    cases = {
        "plain": {**DEFAULTS, "shapes": ((2, 3, 4), (3, 4, 3))},
        "everything": {
            **DEFAULTS,
            "stride": 2,
            "pad": 1,
            "dilate": (2,),
            "groups": 2,
            "outsize": 10,
            "bias": False,
            "shapes": ((2, 4, 4), (4, 3, 3)),
        },
    }
    bad_inputs = {
        "images": ((np.zeros((2, 3, 5, 5)), np.zeros((3, 4, 3))), InvalidType, ["deconvolution_1d: x", "3 axes"]),
        "bias": (
            (np.zeros((2, 3, 5)), np.zeros((3, 4, 3)), np.zeros(3)),
            InvalidType,
            ["deconvolution_1d: b", "(4,)", "(3,)"],
        ),
    }

    def call(self, x, W, b=None):
        return deconvolution_1d(x, W, b, self.stride, self.pad, self.outsize, self.dilate, self.groups)


class TestDeconvolution3D(OfDeconvolution):
    cases = {
        "plain": {**DEFAULTS, "shapes": ((1, 2, 2, 2, 1), (2, 2, 2, 1, 2))},
        "everything": {
            **DEFAULTS,
            "stride": (1, 2, 1),
            "pad": (1, 0, 0),
            "dilate": (2, 1, 1),
            "groups": 2,
            "outsize": (1, 5, 3),
            "shapes": ((2, 2, 1, 2, 2), (2, 1, 2, 2, 2)),
        },
    }
    bad_inputs = {
        "too few axes": ((np.zeros((2, 3, 5)), np.zeros((3, 4, 3))), InvalidType, ["deconvolution_3d: x", "5 axes"])
    }

    def call(self, x, W, b=None):
        return deconvolution_3d(x, W, b, self.stride, self.pad, self.outsize, self.dilate, self.groups)


class TestDeconvolutionND(OfDeconvolution):
    cases = {
        "two axes": {**DEFAULTS, "pad": (1, 0), "stride": 2, "shapes": ((2, 2, 3, 2), (2, 2, 2, 3))},
        "two axes, many groups": {**DEFAULTS, "groups": 9, "pad": 1, "shapes": ((2, 9, 3, 2), (9, 1, 2, 3))},
        "one axis, two channels painted by one": {
            **DEFAULTS,
            "groups": 8,
            "stride": 2,
            "dilate": 2,
            "shapes": ((3, 16, 3), (16, 1, 2)),
        },
        "four axes": {**DEFAULTS, "bias": False, "shapes": ((1, 1, 1, 2, 1, 2), (1, 1, 2, 1, 2, 2))},
    }
    bad_inputs = {
        "no axis": ((np.zeros((2, 3)), np.zeros((3, 4))), InvalidType, ["deconvolution_nd: x", "3 axes", "(2, 3)"]),
        "channels": ((np.zeros((2, 2, 5)), np.zeros((3, 4, 2))), InvalidType, ["deconvolution_nd: x", "3 channels"]),
        "nothing left": (
            (np.zeros((2, 3, 1, 1)), np.zeros((3, 4, 1, 1))),
            InvalidType,
            ["deconvolution_nd: x", "something"],
        ),
    }

    def call(self, x, W, b=None):
        return deconvolution_nd(x, W, b, self.stride, self.pad, self.outsize, self.dilate, self.groups)


@pytest.mark.parametrize("arguments", [{"stride": (1, 1)}, {"pad": -1}, {"dilate": 0}, {"groups": 3}])
@pytest.mark.parametrize("function", [convolution_nd, convolution_1d, deconvolution_nd, deconvolution_1d])
def test_arguments_that_make_no_sense(function, arguments):
    with pytest.raises(ValueError, match=f"{function.__name__}: {next(iter(arguments))}"):
        function(Variable(np.zeros((1, 4, 5))), np.zeros((4, 4, 3)), **arguments)


def test_a_size_that_no_convolution_maps_to_the_input():
    with pytest.raises(
        ValueError, match=r"deconvolution_1d: outsize: expected 5 to 7 .* float64 \(1, 1, 3\), got \(9,\)"
    ):
        deconvolution_1d(np.zeros((1, 1, 3)), np.zeros((1, 1, 2)), stride=2, outsize=9)


@pytest.mark.torch
@pytest.mark.parametrize("n_axes", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2, 10])
def test_agrees_with_pytorch(n_axes, groups):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(n_axes)
    arguments = {"stride": 2, "dilate": 2, "groups": groups}
    x, W, b = (
        rng.normal(size=(2, 10, *(7, 6, 8)[:n_axes])),
        rng.normal(size=(20, 10 // groups, 3, 2, 3)[: n_axes + 2]),
        rng.normal(size=20),
    )
    theirs = getattr(torch.nn.functional, f"conv{n_axes}d")
    backward = getattr(torch.nn.functional, f"conv_transpose{n_axes}d")
    y = convolution_nd(x, W, b, pad=1, **arguments).array
    expected = theirs(*map(torch.tensor, (x, W, b)), padding=1, stride=2, dilation=2, groups=groups)
    np.testing.assert_allclose(y, expected, atol=1e-12)
    z = deconvolution_nd(y, W, pad=1, **arguments).array
    expected = backward(*map(torch.tensor, (y, W)), padding=1, stride=2, dilation=2, groups=groups)
    np.testing.assert_allclose(z, expected, atol=1e-10)
