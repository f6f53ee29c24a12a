import numpy as np

from renga_core.graph import InvalidType
from renga_nn.functions.connection import dilated_convolution_2d
from renga_testing.function_suite import FunctionSuite


class TestDilatedConvolution2D(FunctionSuite):
    cases = {
        "plain": {"stride": 1, "pad": 0, "dilate": 2, "cover_all": False, "bias": True},
        "everything": {"stride": (3, 2), "pad": (1, 0), "dilate": (1, 2), "cover_all": True, "bias": False},
    }
    bad_inputs = {
        "channels": (
            (np.zeros((2, 3, 5, 5)), np.zeros((6, 4, 2, 2))),
            InvalidType,
            ["dilated_convolution_2d: x", "4 channels", "(6, 4, 2, 2)"],
        ),
        "too large": (
            (np.zeros((2, 4, 2, 5)), np.zeros((6, 4, 2, 2))),
            InvalidType,
            ["dilated_convolution_2d: x", "fits into"],
        ),
    }
    tolerances = {"float16": 2e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        arrays = rng.normal(size=(2, 2, 5, 6)), rng.normal(size=(3, 2, 2, 3)), rng.normal(size=3)
        return tuple(a.astype(dtype) for a in arrays[: 3 if self.bias else 2])

    def call(self, x, W, b=None):
        return dilated_convolution_2d(x, W, b, self.stride, self.pad, self.dilate, self.cover_all)

    def reference(self, x, W, b=None):
        """A convolution with filters that have zeros in between."""
        (sy, sx), (py, px), (dy, dx) = (
            v if isinstance(v, tuple) else (v, v) for v in (self.stride, self.pad, self.dilate)
        )
        wide = np.zeros((*W.shape[:2], dy + 1, 2 * dx + 1))
        wide[:, :, ::dy, ::dx] = W
        padded = np.pad(x, ((0, 0), (0, 0), (py, py), (px, px)))
        span = np.array(padded.shape[2:]) - wide.shape[2:]
        out = (-(-span // (sy, sx)) if self.cover_all else span // (sy, sx)) + 1
        padded = np.pad(padded, ((0, 0), (0, 0), (0, sy), (0, sx)))
        y = np.zeros((x.shape[0], W.shape[0], *out))
        for o, i, j in np.ndindex(*y.shape[1:]):
            seen = padded[:, :, i * sy : i * sy + wide.shape[2], j * sx : j * sx + wide.shape[3]]
            y[:, o, i, j] = (seen * wide[o]).sum((1, 2, 3))
        return y if b is None else y + b[:, None, None]

    def empty_inputs(self, dtype):
        return np.ones((0, 2, 5, 6), dtype), np.ones((3, 2, 2, 3), dtype), np.ones(3, dtype)
