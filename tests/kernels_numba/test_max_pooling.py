"""Max pooling of several pieces against the reference, which it must equal to the last bit."""

import numpy as np
import pytest

from renga_kernels_numba.max_pooling import MaxPooling
from renga_nn.functions.pooling.max_pooling import MAX_POOLING
from renga_nn.functions.pooling.window import Window


@pytest.mark.parametrize(
    ("ksize", "stride", "pad", "cover_all"),
    [(2, 2, 0, True), (3, 2, 1, True), ((2, 3), (3, 1), (1, 2), False), (3, 1, 0, False)],
)
def test_equal_elements_and_several_blocks_of_channels(ksize, stride, pad, cover_all):
    rng = np.random.default_rng(0)
    # Few different values, so that windows have several largest elements.
    x = rng.integers(-2, 3, (3, 33, 31, 70)).astype(np.float32).transpose(0, 3, 1, 2)
    x[0, 0] = -np.inf
    window = Window.over("max_pooling", x, ksize, stride, pad, cover_all, 2)
    y = MaxPooling.forward(x, window)
    assert np.array_equal(y, MAX_POOLING.reference.forward(x, window))
    gy = rng.integers(-9, 10, y.shape).astype(np.float32)  # whole numbers: sums are exact in any order
    expected = MAX_POOLING.reference.backward(x, y, gy, window)
    gx = MaxPooling.backward(x, y, gy, window)
    gx[0, 0] = expected[0, 0] = 0  # of minus infinities, the reference may choose one of the border
    assert np.array_equal(gx, expected)


def test_nan_reaches_the_result_and_keeps_its_gradient():
    x = np.zeros((1, 4, 4, 2), np.float32).transpose(0, 3, 1, 2)
    x[0, 1, 1, 0] = np.nan
    window = Window.over("max_pooling", x, 2, 2, 0, True, 2)
    y = MaxPooling.forward(x, window)
    assert np.isnan(y).sum() == 1
    assert np.isnan(y[0, 1, 0, 0])
    assert MaxPooling.backward(x, y, np.ones(y.shape, np.float32), window).sum() == 8
