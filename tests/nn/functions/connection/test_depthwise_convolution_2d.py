import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions.connection import convolution_reference, depthwise_convolution_2d, depthwise_reference
from renga_testing.function_suite import FunctionSuite


class TestDepthwiseConvolution2D(FunctionSuite):
    cases = {
        "plain": {"stride": 1, "pad": 0, "bias": True, "channels": 3, "multiplier": 2},
        "one filter for each": {"stride": 2, "pad": (1, 2), "bias": False, "channels": 2, "multiplier": 1},
        "many channels": {"stride": (1, 2), "pad": (0, 1), "bias": True, "channels": 9, "multiplier": 1},
        "many channels, twice": {"stride": (2, 1), "pad": 1, "bias": True, "channels": 8, "multiplier": 2},
    }
    bad_inputs = {
        "channels": (
            (np.zeros((2, 4, 5, 5)), np.zeros((2, 3, 3, 3))),
            InvalidType,
            ["depthwise_convolution_2d: W", "(M, 4, kh, kw)", "(2, 3, 3, 3)"],
        ),
        "three axes": (
            (np.zeros((2, 4, 5)), np.zeros((2, 4, 3, 3))),
            InvalidType,
            ["depthwise_convolution_2d: x", "4 axes"],
        ),
        "a list": ((np.zeros((2, 4, 5, 5)), [[1.0]]), InvalidType, ["depthwise_convolution_2d: W", "array"]),
        "integers": (
            (np.zeros((2, 4, 5, 5), int), np.zeros((2, 4, 3, 3))),
            InvalidType,
            ["depthwise_convolution_2d: x", "floating"],
        ),
        "filters of integers": (
            (np.zeros((2, 4, 5, 5)), np.zeros((2, 4, 3, 3), int)),
            InvalidType,
            ["depthwise_convolution_2d: W", "floating"],
        ),
        "bias": (
            (np.zeros((2, 4, 5, 5)), np.zeros((2, 4, 3, 3)), np.zeros(4)),
            InvalidType,
            ["depthwise_convolution_2d: b", "(8,)"],
        ),
    }
    tolerances = {"float16": 2e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        sizes = (2, self.channels, 3, 4), (self.multiplier, self.channels, 2, 3), (self.channels * self.multiplier,)
        return tuple(rng.normal(size=s).astype(dtype) for s in sizes[: 3 if self.bias else 2])

    def call(self, x, W, b=None):
        return depthwise_convolution_2d(x, W, b, self.stride, self.pad)

    def reference(self, x, W, b=None):
        (sy, sx), (py, px) = (v if isinstance(v, tuple) else (v, v) for v in (self.stride, self.pad))
        padded = np.pad(x, ((0, 0), (0, 0), (py, py), (px, px)))
        out = (padded.shape[2] - 2) // sy + 1, (padded.shape[3] - 3) // sx + 1
        y = np.zeros((x.shape[0], x.shape[1], W.shape[0], *out))
        for c, m, i, j in np.ndindex(*y.shape[1:]):
            y[:, c, m, i, j] = (padded[:, c, i * sy : i * sy + 2, j * sx : j * sx + 3] * W[m, c]).sum((1, 2))
        y = y.reshape(x.shape[0], x.shape[1] * W.shape[0], *out)
        return y if b is None else y + b[:, None, None]

    def empty_inputs(self, dtype):
        c, m = self.channels, self.multiplier
        return np.ones((0, c, 3, 4), dtype), np.ones((m, c, 2, 3), dtype), np.ones(c * m, dtype)


@pytest.mark.parametrize("multiplier", [1, 3])
def test_both_ways_to_compute_it_agree(monkeypatch, multiplier):
    rng = np.random.default_rng(0)
    x, W = rng.normal(size=(5, 9, 7, 6)), rng.normal(size=(9 * multiplier, 1, 3, 2))
    y = rng.normal(size=(5, 9 * multiplier, 3, 4))
    geometry = (2, 1), (1, 0), (2, 2), 9

    def results():
        return (
            convolution_reference.convolution(x, W, None, *geometry, (3, 4)),
            convolution_reference.deconvolution(y, W, None, *geometry, (7, 6)),
            convolution_reference.filter_gradient(x, y, *geometry, (3, 2)),
        )

    monkeypatch.setattr(depthwise_reference, "_BLOCK", 2 * y[0].size)
    direct = results()
    monkeypatch.setattr(depthwise_reference, "_LEAST_CHANNELS", 100)
    for ours, right in zip(direct, results(), strict=True):
        np.testing.assert_allclose(ours, right, atol=1e-12)
