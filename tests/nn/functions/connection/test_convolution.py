"""The gradient of filters as a function of its own, and convolutions over other numbers of axes."""

import numpy as np

from renga_nn.functions.connection.convolution import Convolution, FilterGradient, Geometry
from renga_testing.function_suite import FunctionSuite


class TestFilterGradient(FunctionSuite):
    subjects = ()
    cases = {
        "plain": {"geometry": Geometry((1, 1), (0, 0), (1, 1), 1), "out": (4, 4)},
        "everything": {"geometry": Geometry((2, 1), (1, 2), (1, 2), 2), "out": (3, 7)},
    }
    tolerances = {"float16": 3e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        return rng.normal(size=(2, 4, 5, 6)).astype(dtype), rng.normal(size=(2, 6, *self.out)).astype(dtype)

    def call(self, x, y):
        return FilterGradient(self.geometry, (2, 3)).apply((x, y))[0]

    def reference(self, x, y):
        g = self.geometry
        (sh, sw), (ph, pw), (dh, dw) = g.stride, g.pad, g.dilate
        padded = np.pad(x, ((0, 0), (0, 0), (ph, ph + 9), (pw, pw + 9)))
        per_group, filters = 4 // g.groups, 6 // g.groups
        W = np.zeros((6, per_group, 2, 3))
        for o, c, k, m in np.ndindex(*W.shape):
            seen = padded[:, o // filters * per_group + c, k * dh :: sh, m * dw :: sw][:, : self.out[0], : self.out[1]]
            W[o, c, k, m] = (seen * y[:, o]).sum()
        return W


def test_one_axis_and_three():
    rng = np.random.default_rng(0)
    x, W = rng.normal(size=(2, 3, 9)), rng.normal(size=(4, 3, 3))
    (y,) = Convolution(Geometry((1,), (0,), (1,), 1), (7,)).apply((x, W))
    right = [[sum(np.convolve(xc, wc[::-1], "valid") for xc, wc in zip(xn, wo, strict=True)) for wo in W] for xn in x]
    np.testing.assert_allclose(y.array, right)
    x, W = rng.normal(size=(1, 2, 3, 4, 5)), rng.normal(size=(1, 2, 3, 4, 5))
    (y,) = Convolution(Geometry((1, 1, 1), (0, 0, 0), (1, 1, 1), 1), (1, 1, 1)).apply((x, W))
    np.testing.assert_allclose(y.array, (x * W).sum().reshape(1, 1, 1, 1, 1))
