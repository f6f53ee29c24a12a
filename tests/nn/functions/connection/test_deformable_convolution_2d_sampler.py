import numpy as np

from renga_core.graph import InvalidType
from renga_nn.functions.connection import convolution_2d, deformable_convolution_2d_sampler
from renga_testing.function_suite import FunctionSuite

FITTING = np.zeros((2, 2, 3, 4)), np.zeros((2, 12, 2, 2)), np.zeros((4, 2, 2, 3))


class TestDeformableConvolution2DSampler(FunctionSuite):
    cases = {
        "plain": {"stride": 1, "pad": 0, "bias": True, "out": (2, 2)},
        "everything": {"stride": (2, 1), "pad": (1, 2), "bias": False, "out": (2, 6)},
    }
    bad_inputs = {
        "three axes": ((np.zeros((2, 3, 4)), *FITTING[1:]), InvalidType, ["sampler: x", "4 axes"]),
        "channels": ((np.zeros((2, 3, 3, 4)), *FITTING[1:]), InvalidType, ["sampler: x", "2 channels"]),
        "too small": ((np.zeros((2, 2, 1, 4)), *FITTING[1:]), InvalidType, ["sampler: x", "fits into"]),
        "offsets": (
            (FITTING[0], np.zeros((2, 6, 2, 2)), FITTING[2]),
            InvalidType,
            ["deformable_convolution_2d_sampler: offset", "(2, 12, 2, 2)", "(2, 6, 2, 2)"],
        ),
        "a list": ((FITTING[0], [1.0], FITTING[2]), InvalidType, ["sampler: offset", "array"]),
        "offsets of integers": (
            (FITTING[0], FITTING[1].astype(int), FITTING[2]),
            InvalidType,
            [": offset", "floating"],
        ),
        "bias": ((*FITTING, np.zeros(3)), InvalidType, ["sampler: b", "(4,)"]),
    }
    tolerances = {"float16": 5e-2, "float32": 2e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        x, W, b = rng.normal(size=(2, 2, 3, 4)), rng.normal(size=(4, 2, 2, 3)), rng.normal(size=4)
        # Far from whole pixels, where the derivative has a step; some beyond the border.
        offset = rng.integers(-3, 3, (2, 12, *self.out)) + rng.uniform(0.1, 0.9, (2, 12, *self.out))
        return tuple(a.astype(dtype) for a in (x, offset, W, b)[: 4 if self.bias else 3])

    def call(self, x, offset, W, b=None):
        return deformable_convolution_2d_sampler(x, offset, W, b, self.stride, self.pad)

    def reference(self, x, offset, W, b=None):
        (sy, sx), (py, px) = (v if isinstance(v, tuple) else (v, v) for v in (self.stride, self.pad))
        y = np.zeros((x.shape[0], W.shape[0], *self.out))
        for n, i, j, k, m in np.ndindex(x.shape[0], *self.out, 2, 3):
            column = j * sx - px + m + offset[n, k * 3 + m, i, j]
            row = i * sy - py + k + offset[n, 6 + k * 3 + m, i, j]
            seen = sum(
                x[n, :, r, c] * (1 - abs(row - r)) * (1 - abs(column - c))
                for r in range(x.shape[2])
                for c in range(x.shape[3])
                if abs(row - r) < 1 and abs(column - c) < 1
            )
            y[n, :, i, j] += W[:, :, k, m] @ (seen + np.zeros(x.shape[1]))
        return y if b is None else y + b[:, None, None]

    def empty_inputs(self, dtype):
        return np.ones((0, 2, 3, 4), dtype), np.ones((0, 12, *self.out), dtype), np.ones((4, 2, 2, 3), dtype)


def test_where_nothing_moves_it_is_a_convolution():
    rng = np.random.default_rng(0)
    x, W, b = rng.normal(size=(2, 3, 6, 7)), rng.normal(size=(4, 3, 3, 2)), rng.normal(size=4)
    y = deformable_convolution_2d_sampler(x, np.zeros((2, 12, 3, 4)), W, b, (2, 2), 1)
    np.testing.assert_allclose(y.array, convolution_2d(x, W, b, 2, 1).array, atol=1e-12)
