"""Batch normalization against formulas in float64, where means are large, and where blocks and pieces end."""

import numpy as np
import pytest

from renga_backend_numpy import cores
from renga_kernels_numba.batch_normalization import BatchNormalization
from renga_kernels_numba.batch_normalization_relu import BatchNormalizationReLU

FIRST_ROWS_APART = 1e4


def normalized(x, gamma, beta, gy, axes):
    """Result and gradients in float64."""
    x, gy = x.astype(float), gy.astype(float)
    centred = x - x.mean(axes, keepdims=True)
    inv_std = 1 / np.sqrt((centred**2).mean(axes, keepdims=True) + 1e-5)
    hat = centred * inv_std
    scale, shift = (a.astype(float).reshape(inv_std.shape) for a in (gamma, beta))
    ggamma, gbeta = (gy * hat).sum(axes), gy.sum(axes)
    share = (hat * (gy * hat).mean(axes, keepdims=True)) + gy.mean(axes, keepdims=True)
    return hat * scale + shift, scale * inv_std * (gy - share), ggamma, gbeta


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param((5, 3), id="few numbers"),
        pytest.param((3, 16, 7, 9), id="several pixels in a row, and an odd number of rows"),
        pytest.param((9, 40, 31, 33), id="several blocks, the last one shorter"),
        pytest.param((500, 700), id="several pieces of channels"),
    ],
)
@pytest.mark.parametrize("mean", [0, 100, -3000])
def test_large_means_cost_nothing(shape, mean):
    rng = np.random.default_rng(0)
    axes = (0, *range(2, len(shape)))
    x = (rng.standard_normal(shape) + mean).astype(np.float32)
    gy = rng.standard_normal(shape).astype(np.float32)
    gamma, beta = rng.standard_normal((2, shape[1])).astype(np.float32)
    expected, expected_gx, expected_ggamma, expected_gbeta = normalized(x, gamma, beta, gy, axes)
    y, m, _, inv_std = BatchNormalization.forward(x, gamma, beta, 1e-5, axes)
    np.testing.assert_allclose(y, expected, atol=6e-6)
    gx, ggamma, gbeta = BatchNormalization.backward(x, gamma, m, inv_std, gy, axes)
    # Backward gets the mean in float32, which has a spacing of 2.4e-4 at 3000.
    slack = 1 + abs(mean) / 10
    np.testing.assert_allclose(gx, expected_gx, atol=1e-5 * slack)
    np.testing.assert_allclose(ggamma, expected_ggamma, atol=1e-4 * slack, rtol=1e-4)
    np.testing.assert_allclose(gbeta, expected_gbeta, atol=1e-4, rtol=1e-5)


def test_a_border_unlike_the_rest_costs_nothing():
    """Deviations are taken from the mean of the first rows of a block: these may be far from it."""
    x = np.random.default_rng(0).standard_normal((4000, 64)).astype(np.float32)
    x[:8] += FIRST_ROWS_APART
    one = np.ones(64, np.float32)
    _, mean, var, _ = BatchNormalization.forward(x, one, one, 1e-5, (0,))
    np.testing.assert_allclose(var, x.astype(float).var(0), rtol=2e-6)
    np.testing.assert_allclose(mean, x.astype(float).mean(0), rtol=2e-6)


def images(rng, shape, dtype):
    """Random images with channels last, as convolutions make them."""
    last = rng.standard_normal((shape[0], *shape[2:], shape[1])).astype(np.float32).astype(dtype)
    return np.moveaxis(last, -1, 1)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("with_residual", [False, True])
def test_relu_against_float64_and_the_same_bits_with_one_thread(dtype, with_residual, monkeypatch):
    dtype = np.dtype(dtype) if dtype == "float32" else pytest.importorskip("ml_dtypes", reason="bfloat16").bfloat16
    rng = np.random.default_rng(0)
    shape, axes = (9, 40, 31, 33), (0, 2, 3)
    x, residual, gy = (images(rng, shape, dtype) for _ in range(3))
    gamma, beta = rng.standard_normal((2, shape[1])).astype(np.float32)
    added = residual if with_residual else None

    def computed():
        y, mean, _, kept = BatchNormalizationReLU.forward(x, gamma, beta, added, 1e-5, axes)
        return y, *BatchNormalizationReLU.backward(x, gamma, mean, kept, y, gy, with_residual, axes)

    y, gx, ggamma, gbeta, gresidual = together = computed()
    passed = gy * (y > 0)
    h, expected_gx, expected_ggamma, expected_gbeta = normalized(x, gamma, beta, passed, axes)
    step = 2e-6 if y.itemsize == 4 else 2**-8
    np.testing.assert_allclose(y.astype(float), np.maximum(h + added if with_residual else h, 0), rtol=step, atol=6e-6)
    np.testing.assert_allclose(gx.astype(float), expected_gx, rtol=step, atol=2e-5)
    np.testing.assert_allclose(ggamma, expected_ggamma, atol=2e-4, rtol=1e-4)
    np.testing.assert_allclose(gbeta, expected_gbeta, atol=2e-4, rtol=1e-5)
    if with_residual:
        np.testing.assert_array_equal(gresidual, passed)
    monkeypatch.setattr(cores, "threads", lambda: 1)
    for one, other in zip(together, computed(), strict=True):
        np.testing.assert_array_equal(one, other)
