"""Layer and RMS normalization of several pieces, against formulas in float64."""

import numpy as np
import pytest

from renga_kernels_numba.row_normalization import LayerNormalization, RMSNormalization

EPS = 1e-5


def expected(x, gamma, beta, gy, centred):
    """Result and gradients of x, gamma and beta."""
    x, gamma, gy = (a.astype(float) for a in (x, gamma, gy))
    centre = x - x.mean(-1, keepdims=True) if centred else x
    inv = 1 / np.sqrt((centre**2).mean(-1, keepdims=True) + EPS)
    hat, scaled = centre * inv, gy * gamma
    share = hat * (scaled * hat).mean(-1, keepdims=True)
    if centred:
        share = share + scaled.mean(-1, keepdims=True)
    return hat * gamma + beta, inv * (scaled - share), (gy * hat).sum((0, 1)), gy.sum((0, 1))


@pytest.mark.parametrize("shape", [(3, 1, 5), (2, 67, 1000)], ids=["one piece", "several, the last one shorter"])
@pytest.mark.parametrize("mean", [0, 100])
def test_forward_and_backward(shape, mean):
    rng = np.random.default_rng(0)
    x, gy = rng.standard_normal((2, *shape)).astype(np.float32)
    gamma, beta = rng.standard_normal((2, shape[-1])).astype(np.float32)
    x += mean
    y, *kept = LayerNormalization.forward(x, gamma, beta, EPS)
    found = (y, *LayerNormalization.backward(x, gamma, *kept, gy))
    # A mean of 100 has a spacing of 7.6e-6 in float32.
    for one, other in zip(found, expected(x, gamma, beta, gy, centred=True), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-3 if mean else 2e-5)
    y, inv_rms = RMSNormalization.forward(x, gamma, EPS)
    found = (y, *RMSNormalization.backward(x, gamma, inv_rms, gy))
    for one, other in zip(found, expected(x, gamma, 0, gy, centred=False)[:3], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=2e-5)
