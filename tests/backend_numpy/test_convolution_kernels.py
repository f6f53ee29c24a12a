"""Each kernel gives what the reference gives, for all arguments that it says it supports."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from renga_backend_numpy.kernels import convolution, pointwise, product
from renga_backend_numpy.kernels.thread_pool import blas_threads
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


@settings(max_examples=60)
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


@pytest.fixture(params=["one thread", "two threads"])
def small_pieces(monkeypatch, request):
    """Pieces of few positions, and threads whatever the environment says of BLAS."""
    monkeypatch.setattr(convolution, "_ROWS", 7)
    monkeypatch.setattr(convolution, "_ELEMENTS", 1)
    monkeypatch.setattr(convolution, "LEAST", 1)
    monkeypatch.setattr(product, "LEAST", 1)
    with blas_threads(2 if request.param == "two threads" else 1):
        yield


@pytest.mark.usefixtures("small_pieces")
class TestWindows:
    @settings(max_examples=150, suppress_health_check=[HealthCheck.filter_too_much])
    @given(st.data(), st.integers(1, 5), st.integers(1, 3), st.booleans(), st.integers(0, 2))
    def test_agrees_with_the_reference(self, data, channels, outputs, bias, fewer):
        pair = st.tuples(st.integers(1, 4), st.integers(1, 4))
        size = data.draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
        ksize, stride, dilate, pad = data.draw(pair), data.draw(pair), data.draw(pair), data.draw(pair)
        pad = tuple(p - 1 for p in pad)
        axes = zip(size, ksize, stride, pad, dilate, strict=True)
        out = tuple(conv_outsize(n, k, s, p, d=d) - fewer for n, k, s, p, d in axes)
        assume(min(out) > 0)
        arguments = (stride, pad, dilate, 1)
        x = data.draw(images(channels, size))
        assume(x.size)
        W, b = filters(outputs, channels, *ksize), filters(outputs) if bias else None
        assert convolution.supports(x, W, b, *arguments, out)
        y = convolution.Convolution.forward(x, W, b, *arguments, out)
        np.testing.assert_allclose(y, reference.convolution(x, W, b, *arguments, out), atol=1e-12)
        c = filters(channels) if bias else None
        assert convolution.supports(y, W, c, *arguments, size)
        back = convolution.Deconvolution.forward(y, W, c, *arguments, size)
        np.testing.assert_allclose(back, reference.deconvolution(y, W, c, *arguments, size), atol=1e-12)
        assert convolution.supports_filter_gradient(x, y, *arguments, ksize)
        gW = convolution.FilterGradient.forward(x, y, *arguments, ksize)
        np.testing.assert_allclose(gW, reference.filter_gradient(x, y, *arguments, ksize), atol=1e-11)


def test_the_same_result_each_time():
    """To the last bit, whichever thread is faster: sums are in a fixed order."""
    x, y = (np.random.default_rng(i).normal(size=(16, 8, 24, 24)).astype(np.float32) for i in (1, 2))
    with blas_threads(2):
        results = [convolution.FilterGradient.forward(x, y, ONES, ONES, ONES, 1, (3, 3)) for _ in range(20)]
    assert all(np.array_equal(result, results[0]) for result in results)


def test_memory_does_not_grow_with_the_batch():
    """Beside the result: some matrices of a piece, 2 MB each here, where all windows would be 38 MB."""
    x, W = np.ones((32, 32, 32, 32), np.float32), np.ones((32, 32, 3, 3), np.float32)
    arguments = (ONES, ONES, ONES, 1)
    with blas_threads(2):
        for compute in (
            lambda: convolution.Convolution.forward(x, W, None, *arguments, (32, 32)),
            lambda: convolution.Deconvolution.forward(x, W, None, *arguments, (32, 32)),
            lambda: convolution.FilterGradient.forward(x, x, *arguments, (3, 3)),
        ):
            tracemalloc.start()
            result = compute()
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak - result.nbytes < 8 << 20


def images_last(size, channels):
    """An image with channels last in memory."""
    return np.zeros((1, size, size, channels), np.float32).transpose(0, 3, 1, 2)


def chosen(operation, *args):
    """What computes where oneDNN, which comes before NumPy's own, is not installed."""
    with using({"plugins.disable": ["onednn"]}):
        return operation.select(get_backend("numpy"), *args).name


def test_which_one_is_chosen():
    x, y = images_last(20, 16), images_last(20, 8)
    W1, W3 = np.zeros((8, 16, 1, 1), np.float32), np.zeros((8, 16, 3, 3), np.float32)
    plain, padded, strided = (ONES, ZEROS, ONES, 1), (ONES, ONES, ONES, 1), ((2, 2), ZEROS, ONES, 1)
    assert chosen(CONVOLUTION, x, W1, None, *plain, (20, 20)) == "numpy:pointwise_convolution"
    assert chosen(CONVOLUTION, x.copy(), W1, None, *plain, (20, 20)) == "numpy:windows_convolution"
    assert chosen(CONVOLUTION, x, W1, None, *strided, (10, 10)) == "numpy:windows_convolution"
    assert chosen(CONVOLUTION, x, W3, None, *padded, (20, 20)) == "numpy:windows_convolution"
    assert chosen(CONVOLUTION, x, W3[:, :8], None, ONES, ONES, ONES, 2, (20, 20)) == "reference"
    assert chosen(DECONVOLUTION, y, W1, None, *plain, (20, 20)) == "numpy:pointwise_deconvolution"
    assert chosen(DECONVOLUTION, y, W3, None, *padded, (20, 20)) == "numpy:windows_deconvolution"
    assert chosen(FILTER_GRADIENT, x, y, *plain, ONES) == "numpy:pointwise_filter_gradient"
    assert chosen(FILTER_GRADIENT, x, y, *padded, (3, 3)) == "numpy:windows_filter_gradient"
