import itertools

import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions import convolution_nd
from renga_nn.links import (
    Convolution1D,
    Convolution3D,
    ConvolutionND,
    Deconvolution1D,
    Deconvolution3D,
    DeconvolutionND,
    DilatedConvolution2D,
)
from renga_testing.link_suite import LinkSuite


def test_from_params():
    rng = np.random.default_rng(0)
    W, b = rng.random((6, 2, 3), np.float32), rng.random(6, np.float32)
    link = ConvolutionND.from_params(W, b, 2, 1, cover_all=True, groups=2)
    x = rng.random((2, 4, 8), np.float32)
    np.testing.assert_allclose(link(x).array, convolution_nd(x, W, b, 2, 1, True, groups=2).array, rtol=1e-5)
    with pytest.raises(ValueError, match=r"ConvolutionND.from_params: .*nobias"):
        ConvolutionND.from_params(W, b, nobias=True)


PLAIN = {"stride": 1, "pad": 0, "dilate": 1, "groups": 1, "out": None}


class OfFilters(LinkSuite):
    tolerances = {"float16": 3e-2, "float32": 2e-5, "float64": 1e-11}

    def make_link(self):
        return self.kind(*self.arguments, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(self.shape).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)

    def touches(self, W, positions):
        """For each position and element of a window: where they meet, and which channels do."""
        given = {**PLAIN, **self.geometry}
        per_group = len(W) // given["groups"]
        for place, offset in itertools.product(np.ndindex(*positions), np.ndindex(*W.shape[2:])):
            at = tuple(i * given["stride"] + k * given["dilate"] for i, k in zip(place, offset, strict=True))
            for o, c in np.ndindex(*W.shape[:2]):
                yield (slice(None), o, *place), (slice(None), o // per_group * W.shape[1] + c, *at), W[(o, c, *offset)]


class OfConvolution(OfFilters):
    def reference(self, params, x):
        W, given = params["W"], {**PLAIN, **self.geometry}
        pad = [(given["pad"], given["pad"] + 9)] * (x.ndim - 2)
        padded = np.pad(x, ((0, 0), (0, 0), *pad))
        y = np.zeros((len(x), len(W), *self.out))
        for here, there, weight in self.touches(W, self.out):
            y[here] += padded[there] * weight
        return y + params["b"].reshape(-1, *(1,) * (x.ndim - 2)) if "b" in params else y


class OfDeconvolution(OfFilters):
    def reference(self, params, x):
        W, given = params["W"], {**PLAIN, **self.geometry}
        canvas = np.zeros((len(x), W.shape[1] * given["groups"], *(20,) * (x.ndim - 2)))
        for there, here, weight in self.touches(W, x.shape[2:]):
            canvas[here] += x[there] * weight
        y = canvas[(..., *[slice(given["pad"], given["pad"] + n) for n in self.out])]
        return y + params["b"].reshape(-1, *(1,) * (x.ndim - 2)) if "b" in params else y


class TestConvolution1D(OfConvolution):
    kind = Convolution1D
    cases = {
        "sizes given": {"arguments": (2, 3, 3), "options": {}, "geometry": {}, "shape": (2, 2, 6), "out": (4,)},
        "everything": {
            "arguments": (None, 4, 3, 2, 1, True),
            "options": {"cover_all": True, "dilate": 2, "groups": 2},
            "geometry": {"stride": 2, "pad": 1, "dilate": 2, "groups": 2},
            "shape": (2, 2, 6),
            "out": (3,),
        },
    }
    bad_inputs = {"images": ((np.ones((1, 2, 5, 6)),), InvalidType, ("Convolution1D: x", "3 axes"))}


class TestConvolution3D(OfConvolution):
    kind = Convolution3D
    cases = {"short": {"arguments": (2, 2), "options": {}, "geometry": {}, "shape": (1, 2, 2, 3, 2), "out": (1, 2, 1)}}
    bad_inputs = {"images": ((np.ones((1, 2, 5, 6)),), InvalidType, ("Convolution3D: x", "5 axes"))}


class TestConvolutionND(OfConvolution):
    kind = ConvolutionND
    cases = {
        "sizes given": {
            "arguments": (2, 2, 3, (2, 3)),
            "options": {"initial_bias": 1},
            "geometry": {},
            "shape": (2, 2, 3, 4),
            "out": (2, 2),
        },
        "size of the first input": {
            "arguments": (1, 4, 3),
            "options": {},
            "geometry": {},
            "shape": (2, 3, 6),
            "out": (4,),
        },
        "everything": {
            "arguments": (2, None, 4, 2, 2, 1, True),
            "options": {"cover_all": True, "dilate": 2, "groups": 2},
            "geometry": {"stride": 2, "pad": 1, "dilate": 2, "groups": 2},
            "shape": (1, 2, 4, 4),
            "out": (3, 3),
        },
    }
    bad_inputs = {"channels": ((np.ones((1, 3, 5, 6)),), InvalidType, ("ConvolutionND: x", "2 channels"))}


class TestDilatedConvolution2D(OfConvolution):
    kind = DilatedConvolution2D
    cases = {
        "sizes given": {
            "arguments": (2, 3, 2, 1, 1, 2),
            "options": {"initial_bias": 1},
            "geometry": {"pad": 1, "dilate": 2},
            "shape": (2, 2, 3, 4),
            "out": (3, 4),
        },
        "short": {
            "arguments": (3, 2),
            "options": {"dilate": 2, "nobias": True},
            "geometry": {"dilate": 2},
            "shape": (1, 2, 4, 3),
            "out": (2, 1),
        },
    }
    bad_inputs = {"channels": ((np.ones((1, 3, 5, 6)),), InvalidType, ("convolution_2d: x", "2 channels"))}


class TestDeconvolution1D(OfDeconvolution):
    kind = Deconvolution1D
    cases = {
        "sizes given": {"arguments": (2, 3, 3), "options": {}, "geometry": {}, "shape": (2, 2, 4), "out": (6,)},
        "everything": {
            "arguments": (None, 4, 3, 2, 1, True, 8),
            "options": {"dilate": 2, "groups": 2},
            "geometry": {"stride": 2, "pad": 1, "dilate": 2, "groups": 2},
            "shape": (2, 2, 3),
            "out": (8,),
        },
    }
    bad_inputs = {"images": ((np.ones((1, 2, 5, 6)),), InvalidType, ("Deconvolution1D: x", "3 axes"))}


class TestDeconvolution3D(OfDeconvolution):
    kind = Deconvolution3D
    cases = {"short": {"arguments": (2, 2), "options": {}, "geometry": {}, "shape": (1, 2, 1, 2, 1), "out": (2, 3, 2)}}
    bad_inputs = {"images": ((np.ones((1, 2, 5, 6)),), InvalidType, ("Deconvolution3D: x", "5 axes"))}


class TestDeconvolutionND(OfDeconvolution):
    kind = DeconvolutionND
    cases = {
        "sizes given": {
            "arguments": (2, 2, 3, (2, 3)),
            "options": {"initial_bias": 1},
            "geometry": {},
            "shape": (2, 2, 2, 2),
            "out": (3, 4),
        },
        "size of the first input": {
            "arguments": (1, 4, 3),
            "options": {},
            "geometry": {},
            "shape": (2, 3, 4),
            "out": (6,),
        },
        "everything": {
            "arguments": (2, None, 4, 2, 2, 1, True, (4, 3)),
            "options": {"dilate": 2, "groups": 2},
            "geometry": {"stride": 2, "pad": 1, "dilate": 2, "groups": 2},
            "shape": (1, 2, 2, 2),
            "out": (4, 3),
        },
    }
    bad_inputs = {"channels": ((np.ones((1, 3, 5, 6)),), InvalidType, ("DeconvolutionND: x", "2 channels"))}


def test_filters_without_a_size():
    with pytest.raises(TypeError, match=r"ConvolutionND\(3, None, 16, 3\) or ConvolutionND\(3, 16, 3\)"):
        ConvolutionND(3, None, 4)
    with pytest.raises(TypeError, match=r"Deconvolution1D\(None, 16, 3\) or Deconvolution1D\(16, 3\)"):
        Deconvolution1D(None, 4)


def test_groups_that_do_not_divide_the_channels():
    with pytest.raises(ValueError, match="Convolution1D: groups=2 does not divide 3 channels"):
        Convolution1D(3, 4, 3, groups=2)
