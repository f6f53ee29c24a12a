"""Convolutions by filters of one pixel: that they are products of matrices, and right."""

import numpy as np
import pytest

from renga_kernels_onednn import convolution, pointwise

WINDOW = ((1, 1), (0, 0), (1, 1), 1)
SIZES = [(1, 1, 1, 1), (3, 7, 5, 4), (2, 64, 48, 9), (1, 1, 16, 3), (5, 16, 1, 3)]


def filters_in(order, filters, channels):
    W = np.random.default_rng(1).uniform(-1, 1, (filters, channels, 1, 1)).astype("f")
    if order == "transposed":
        return np.ascontiguousarray(W.transpose(1, 0, 2, 3)).transpose(1, 0, 2, 3)
    if order == "gaps":
        return np.repeat(W, 2, axis=1)[:, ::2]
    return W[::-1] if order == "reversed" else W


@pytest.mark.parametrize("order", ["plain", "transposed", "gaps", "reversed"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("n", "channels", "filters", "side"), SIZES)
def test_products(n, channels, filters, side, bias, order):
    rng = np.random.default_rng(0)
    W = filters_in(order, filters, channels)
    x = rng.uniform(-1, 1, (n, channels, side, side)).astype("f")
    gy = rng.uniform(-1, 1, (n, filters, side, side)).astype("f")
    b = rng.uniform(-1, 1, 2 * filters).astype("f")[::2] if bias else None
    wide = W[:, :, 0, 0].astype("d")
    y = convolution.Convolution.forward(x, W, b, *WINDOW, (side, side))
    right = np.einsum("ncij,oc->noij", x, wide) + (b[:, None, None] if bias else 0)
    np.testing.assert_allclose(y, right, rtol=1e-5, atol=1e-5)
    gx = convolution.Deconvolution.forward(gy, W, None, *WINDOW, (side, side))
    np.testing.assert_allclose(gx, np.einsum("noij,oc->ncij", gy, wide), rtol=1e-5, atol=1e-5)
    gW = convolution.FilterGradient.forward(x, gy, *WINDOW, (1, 1))
    right = np.einsum("noij,ncij->oc", gy.astype("d"), x)
    np.testing.assert_allclose(gW[:, :, 0, 0], right, rtol=1e-5, atol=1e-4)
    assert gW.flags.c_contiguous


@pytest.mark.parametrize(
    ("W", "strides", "window", "same_size", "yes"),
    [
        ((5, 4, 1, 1), (4, 1, 1, 1), WINDOW, True, True),
        ((5, 4, 1, 1), (4, 1, 1, 1), WINDOW, False, False),
        ((5, 4, 1, 2), (8, 2, 2, 1), WINDOW, True, False),
        ((5, 4, 1, 1), (8, 2, 2, 2), WINDOW, True, False),
        ((5, 4, 1, 1), (0, 1, 1, 1), WINDOW, True, False),
        ((4, 2, 1, 1), (2, 1, 1, 1), (*WINDOW[:3], 2), True, False),
        ((5, 4, 1, 1), (4, 1, 1, 1), ((2, 2), *WINDOW[1:]), True, False),
        ((5, 4, 1, 1), (4, 1, 1, 1), ((1, 1), (1, 1), (1, 1), 1), True, False),
    ],
)
def test_what_is_pointwise(W, strides, window, same_size, yes):
    assert pointwise.is_pointwise(W, strides, window, same_size) is yes
