"""The number of threads that are free changes no bit, and little work is not shared at all."""

import numpy as np
import pytest

import renga
import renga.functions as F
from renga_backend_numpy import cores
from renga_kernels_onednn import threads
from renga_kernels_onednn.convolution import Convolution, Deconvolution, FilterGradient, ParameterGradients

RNG = np.random.default_rng(0)


def images(*shape):
    return np.moveaxis(RNG.standard_normal((shape[0], *shape[2:], shape[1]), np.float32), -1, 1)


@pytest.fixture
def with_threads(monkeypatch):
    """Call a function with 1, 2 and 3 threads."""

    def call(function):
        results = []
        for number in (1, 2, 3):
            monkeypatch.setattr(cores, "threads", lambda number=number: number)
            before = threads.use(3)  # OpenMP's own limit, which tests set to 1
            try:
                results.append(function())
            finally:
                threads.use(before)
        return results

    return call


@pytest.mark.parametrize(
    ("x", "channels", "ksize", "stride", "pad"),
    [
        ((4, 3, 64, 64), 64, 7, 2, 3),
        ((16, 1, 28, 28), 20, 5, 1, 0),
        ((4, 64, 28, 28), 70, 3, 1, 1),
        ((1, 2048, 7, 7), 512, 1, 1, 0),
        ((8, 64, 14, 14), 32, 1, 1, 0),
        ((1, 64, 64, 64), 128, 1, 2, 0),
        ((1, 16, 14, 14), 256, 3, 2, 1),
    ],
)
def test_convolution(with_threads, x, channels, ksize, stride, pad):
    side = (x[2] + 2 * pad - ksize) // stride + 1
    W = RNG.standard_normal((channels, x[1], ksize, ksize), np.float32)
    x, y = images(*x), images(x[0], channels, side, side)
    b = RNG.standard_normal(channels, np.float32)
    window = (stride, stride), (pad, pad), (1, 1), 1

    def compute():
        forward = Convolution.forward(x, W, b, *window, (side, side))
        backward = Deconvolution.forward(y, W, None, *window, x.shape[2:])
        if ksize == stride == 1:  # a product of matrices, which always has the same number of threads
            return [forward, backward]
        with_bias = ParameterGradients.forward(x, y, *window, W.shape[2:])
        return [forward, backward, FilterGradient.forward(x, y, *window, W.shape[2:]), *with_bias]

    one, *others = with_threads(compute)
    for other in others:
        for expected, got in zip(one, other, strict=True):
            np.testing.assert_array_equal(got, expected)


def test_pooling_softmax_and_updates(with_threads):
    x, rows = images(8, 32, 40, 40), RNG.standard_normal((300, 1000), np.float32)

    def compute():
        found = []
        for function, array in [
            (lambda v: F.max_pooling_2d(F.relu(v), 3, 2), x),
            (lambda v: F.average_pooling_2d(v, 3, 2), x),
            (F.log_softmax, rows),
            (F.softmax, rows),
        ]:
            link = renga.Link()
            with link.init_scope():
                link.w = renga.Parameter(array.copy())
            optimizer = renga.optimizers.Adam().setup(link)
            y = function(link.w)
            F.sum(y * y).backward()
            optimizer.update()
            found += [y.array, link.w.grad, link.w.array]
        return found

    one, *others = with_threads(compute)
    for other in others:
        for expected, got in zip(one, other, strict=True):
            np.testing.assert_array_equal(got, expected)
