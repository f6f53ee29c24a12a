import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions.connection import convolution_2d, local_convolution_2d
from renga_testing.function_suite import FunctionSuite


class TestLocalConvolution2D(FunctionSuite):
    cases = {
        "plain": {"stride": 1, "W": (3, 2, 3, 2, 2, 2), "bias": True},
        "stride": {"stride": (2, 1), "W": (2, 2, 2, 2, 1, 3), "bias": False},
    }
    bad_inputs = {
        "three axes": ((np.zeros((2, 3, 4)), np.zeros((3, 2, 3, 2, 2, 2))), InvalidType, ["_2d: x", "4 axes"]),
        "shared filters": ((np.zeros((2, 2, 3, 4)), np.zeros((3, 2, 2, 2))), InvalidType, ["_2d: W", "6 axes"]),
        "a list": ((np.zeros((2, 2, 3, 4)), [[1.0]]), InvalidType, ["local_convolution_2d: W", "array"]),
        "a list of biases": (
            (np.zeros((2, 2, 3, 4)), np.zeros((3, 2, 3, 2, 2, 2)), [1]),
            InvalidType,
            ["local_convolution_2d: b", "array"],
        ),
        "integers": ((np.zeros((2, 2, 3, 4), int), np.zeros((3, 2, 3, 2, 2, 2))), InvalidType, ["_2d: x", "floating"]),
        "places": (
            (np.zeros((2, 2, 3, 4)), np.zeros((3, 3, 2, 2, 2, 2))),
            InvalidType,
            ["local_convolution_2d: W", "(O, 2, 3, 2, kh, kw)", "(3, 3, 2, 2, 2, 2)"],
        ),
        "bias": (
            (np.zeros((2, 2, 3, 4)), np.zeros((3, 2, 3, 2, 2, 2)), np.zeros(3)),
            InvalidType,
            ["local_convolution_2d: b", "(3, 2, 3)"],
        ),
    }
    tolerances = {"float16": 2e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        sizes = (2, 2, 3, 4), self.W, self.W[:3]
        return tuple(rng.normal(size=s).astype(dtype) for s in sizes[: 3 if self.bias else 2])

    def call(self, x, W, b=None):
        return local_convolution_2d(x, W, b, self.stride)

    def reference(self, x, W, b=None):
        sy, sx = self.stride if isinstance(self.stride, tuple) else (self.stride, self.stride)
        y = np.zeros((x.shape[0], *W.shape[:3]))
        for o, i, j in np.ndindex(*W.shape[:3]):
            seen = x[:, :, i * sy : i * sy + W.shape[4], j * sx : j * sx + W.shape[5]]
            y[:, o, i, j] = (seen * W[o, i, j]).sum((1, 2, 3))
        return y if b is None else y + b

    def empty_inputs(self, dtype):
        return np.ones((0, 2, 3, 4), dtype), np.ones(self.W, dtype), np.ones(self.W[:3], dtype)


def test_with_the_same_filters_everywhere_it_is_a_convolution():
    rng = np.random.default_rng(0)
    x, W = rng.normal(size=(2, 3, 6, 7)), rng.normal(size=(4, 3, 3, 2))
    everywhere = np.broadcast_to(W[:, None, None], (4, 2, 3, 3, 3, 2))
    np.testing.assert_allclose(
        local_convolution_2d(x, everywhere, stride=2).array, convolution_2d(x, W, stride=2).array
    )


def test_a_step_that_makes_no_sense():
    with pytest.raises(ValueError, match="local_convolution_2d: stride"):
        local_convolution_2d(np.zeros((1, 1, 3, 3)), np.zeros((1, 3, 3, 1, 1, 1)), stride=0)
