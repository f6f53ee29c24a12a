"""Each kernel gives what the reference gives, for all arguments that it says it supports."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from renga_backend_numpy.kernels import pointwise, row_convolution
from renga_core.backend import get_backend
from renga_core.settings import using
from renga_nn.functions.connection import convolution_reference as reference
from renga_nn.functions.connection.convolution import CONVOLUTION, DECONVOLUTION, FILTER_GRADIENT
from renga_nn.functions.window import conv_outsize


@st.composite
def images(draw, channels, size):
    """Images, with channels first or last in memory, or with gaps."""
    array = np.random.default_rng(draw(st.integers(0, 9))).normal(size=(draw(st.integers(0, 3)), channels, *size))
    order = draw(st.sampled_from(["first", "last", "gaps"]))
    if order == "last":
        return np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    return np.repeat(array, 2, axis=3)[..., ::2] if order == "gaps" else array


def filters(*shape):
    return np.random.default_rng(0).normal(size=shape)


ONES, ZEROS = (1, 1), (0, 0)


@settings(deadline=None, max_examples=60)
@given(st.data(), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_pointwise(data, channels, outputs, bias):
    size = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    x = data.draw(images(channels, size))
    W, b = filters(outputs, channels, 1, 1), filters(outputs) if bias else None
    arguments = (ONES, ZEROS, ONES, 1)
    last = x.transpose(0, 2, 3, 1).flags.c_contiguous
    assert pointwise.supports(x, W, b, *arguments, size) == last
    y = pointwise.Convolution.forward(x, W, b, *arguments, size)
    np.testing.assert_allclose(y, reference.convolution(x, W, b, *arguments, size))
    c = filters(channels) if bias else None
    back = pointwise.Deconvolution.forward(y, W, c, *arguments, size)
    np.testing.assert_allclose(back, reference.deconvolution(y, W, c, *arguments, size))
    assert pointwise.supports_filter_gradient(x, y, *arguments, ONES) == last
    gW = pointwise.FilterGradient.forward(x, y, *arguments, ONES)
    np.testing.assert_allclose(gW, reference.filter_gradient(x, y, *arguments, ONES), atol=1e-12)


@pytest.fixture
def small_sizes_too(monkeypatch):
    monkeypatch.setattr(row_convolution, "_LEAST_CHANNELS", 1)
    monkeypatch.setattr(row_convolution, "_LEAST_PIXELS", 1)
    monkeypatch.setattr(row_convolution, "_BLOCK", 300)


@pytest.mark.usefixtures("small_sizes_too")
class TestRowConvolution:
    @settings(deadline=None, max_examples=100)
    @given(st.data(), st.integers(1, 3), st.integers(1, 3), st.booleans(), st.integers(0, 2))
    def test_agrees_with_the_reference(self, data, channels, outputs, bias, fewer):
        pair = st.tuples(st.integers(1, 6), st.integers(1, 6))
        size, ksize, pad = data.draw(pair), data.draw(pair), data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
        out = tuple(conv_outsize(n, k, 1, p) - fewer for n, k, p in zip(size, ksize, pad, strict=True))
        assume(min(out) > 0)
        arguments = (ONES, pad, ONES, 1)
        x = data.draw(images(channels, size))
        W, b = filters(outputs, channels, *ksize), filters(outputs) if bias else None
        assert row_convolution.supports(x, W, b, *arguments, out)
        y = row_convolution.Convolution.forward(x, W, b, *arguments, out)
        np.testing.assert_allclose(y, reference.convolution(x, W, b, *arguments, out), atol=1e-12)
        if row_convolution.supports_deconvolution(y, W, None, *arguments, size):
            back = row_convolution.Deconvolution.forward(y, W, None, *arguments, size)
            np.testing.assert_allclose(back, reference.deconvolution(y, W, None, *arguments, size), atol=1e-12)
        else:
            assert any(p >= k for p, k in zip(pad, ksize, strict=True))


def images_last(size, channels):
    """An image with channels last in memory."""
    return np.zeros((1, size, size, channels), np.float32).transpose(0, 3, 1, 2)


def chosen(operation, *args):
    """What computes where oneDNN, which comes before NumPy's own, is not installed."""
    with using({"plugins.disable": ["onednn"]}):
        return operation.select(get_backend("numpy"), *args).name


def test_which_one_is_chosen():
    x, small = images_last(20, 16), images_last(4, 16)
    W1, W3 = np.zeros((8, 16, 1, 1), np.float32), np.zeros((8, 16, 3, 3), np.float32)
    y = images_last(20, 8)
    plain, padded, strided = (ONES, ZEROS, ONES, 1), (ONES, ONES, ONES, 1), ((2, 2), ZEROS, ONES, 1)
    assert chosen(CONVOLUTION, x, W1, None, *plain, (20, 20)) == "numpy:pointwise_convolution"
    assert chosen(CONVOLUTION, x.copy(), W1, None, *plain, (20, 20)) == "numpy:row_convolution"
    assert chosen(CONVOLUTION, x, W1, None, *strided, (10, 10)) == "reference"
    assert chosen(CONVOLUTION, x, W3, None, *padded, (20, 20)) == "numpy:row_convolution"
    assert chosen(CONVOLUTION, small, W3, None, *padded, (4, 4)) == "reference"
    assert chosen(DECONVOLUTION, y, W1, None, *plain, (20, 20)) == "numpy:pointwise_deconvolution"
    assert chosen(FILTER_GRADIENT, x, y, *plain, ONES) == "numpy:pointwise_filter_gradient"
    assert chosen(FILTER_GRADIENT, x, y, *padded, (3, 3)) == "reference"
