"""Random windows, against the references."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_kernels_onednn import pooling
from renga_nn.functions.pooling.max_pooling import MAX_POOLING
from renga_nn.functions.pooling.window import Window
from renga_nn.functions.pooling.window_sum import WINDOW_SPREAD, WINDOW_SUM


@st.composite
def windows(draw):
    axes = draw(st.integers(1, 3))
    ksize = draw(st.lists(st.integers(1, 4), min_size=axes, max_size=axes))
    size = [draw(st.integers(k, 9)) for k in ksize]
    pad = [draw(st.integers(0, k - 1)) for k in ksize]
    stride = draw(st.lists(st.integers(1, 4), min_size=axes, max_size=axes))
    shape = (draw(st.integers(1, 3)), draw(st.integers(1, 20)), *size)
    x = np.random.default_rng(0).integers(-3, 4, shape).astype("f")
    if draw(st.booleans()):
        x = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)
    return x, Window.over("test", x, ksize, stride, pad, draw(st.booleans()), axes)


@settings(max_examples=100)
@given(windows())
def test_agrees_with_the_references(case):
    x, window = case
    assert pooling.supports(x, window)
    y = pooling.MaxPooling.forward(x, window)
    assert np.array_equal(y, MAX_POOLING.reference.forward(x, window))
    gy = np.random.default_rng(1).uniform(-1, 1, y.shape).astype("f")
    right = MAX_POOLING.reference.backward(x, y, gy, window)
    np.testing.assert_allclose(pooling.MaxPooling.backward(x, y, gy, window), right, atol=1e-5)
    for scale in (0.3, 1 / np.prod(window.ksize), np.full(window.out, 0.3, "f")):
        assert pooling.supports_sum(x, window, scale) == pooling.supports_sum(gy, window, scale)
        total = pooling.WindowSum.forward(x, window, scale)
        np.testing.assert_allclose(total, WINDOW_SUM.reference.forward(x, window, scale), atol=1e-4)
        spread = pooling.WindowSpread.forward(gy, window, scale)
        np.testing.assert_allclose(spread, WINDOW_SPREAD.reference.forward(gy, window, scale), atol=1e-4)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinities(value):
    x = np.full((1, 2, 5, 5), value, "f")
    window = Window.over("test", x, 3, 2, 1, True, 2)
    y = pooling.MaxPooling.forward(x, window)
    assert np.array_equal(y, MAX_POOLING.reference.forward(x, window))
    right = MAX_POOLING.reference.backward(x, y, np.ones_like(y), window)
    assert np.array_equal(pooling.MaxPooling.backward(x, y, np.ones_like(y), window), right)


def test_nan_is_the_largest():
    x = np.zeros((2, 16, 6, 6), "f")
    x[0, 3, 2, 2] = np.nan
    window = Window.over("test", x, 2, 2, 0, True, 2)
    assert np.array_equal(
        pooling.MaxPooling.forward(x, window), MAX_POOLING.reference.forward(x, window), equal_nan=True
    )
