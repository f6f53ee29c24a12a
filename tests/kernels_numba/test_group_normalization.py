"""Group normalization by the kernel, against a formula in float64: long rows, several pieces, large means."""

import numpy as np
import pytest

from renga_core.graph import Variable
from renga_core.settings import using
from renga_nn.functions.normalization import group_normalization


@pytest.mark.parametrize("mean", [0, 100])
def test_long_rows_in_several_pieces(mean):
    rng = np.random.default_rng(0)
    x = Variable((rng.standard_normal((3, 8, 50, 51)) + mean).astype(np.float32))
    gamma, beta = (Variable(a) for a in rng.standard_normal((2, 8)).astype(np.float32))
    gy = rng.standard_normal(x.shape).astype(np.float32)
    with using({"kernels.batch_normalization": "numba"}):
        y = group_normalization(x, 2, gamma, beta)
        y.grad = gy
        y.backward()

    groups, wide_gy = x.array.astype(float).reshape(3, 2, -1), gy.astype(float)
    centred = groups - groups.mean(-1, keepdims=True)
    inv = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    hat, scale = (centred * inv).reshape(x.shape), gamma.array.astype(float)[:, None, None]
    scaled, by_group = (wide_gy * scale).reshape(groups.shape), hat.reshape(groups.shape)
    share = by_group * (scaled * by_group).mean(-1, keepdims=True) + scaled.mean(-1, keepdims=True)
    tolerance = 5e-5 if mean else 5e-6  # in float32, a mean of 100 has a spacing of 7.6e-6
    np.testing.assert_allclose(y.array, hat * scale + beta.array[:, None, None], atol=tolerance)
    np.testing.assert_allclose(x.grad, (inv * (scaled - share)).reshape(x.shape), atol=tolerance)
    np.testing.assert_allclose(gamma.grad, (wide_gy * hat).sum((0, 2, 3)), rtol=1e-5, atol=1e-2 if mean else 1e-3)
    np.testing.assert_allclose(beta.grad, wide_gy.sum((0, 2, 3)), rtol=1e-5, atol=1e-3)
