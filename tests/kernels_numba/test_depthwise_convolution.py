"""Depthwise convolution and its gradients against the reference in float64: windows in the middle and at borders."""

import numpy as np
import pytest

import renga.functions as F
from renga_core.graph import Variable
from renga_core.settings import using

OPERATIONS = "convolution", "deconvolution", "convolution_filter_gradient", "convolution_parameter_gradients"


def convolved(arrays, gy, window, kernel):
    variables = [Variable(array) for array in arrays]
    with using({f"kernels.{name}": kernel for name in OPERATIONS}):
        y = F.convolution_2d(*variables, *window[:2], dilate=window[2], groups=len(arrays[2]))
        y.grad = gy.astype(y.dtype)
        y.backward()
    return [y.array, *[v.grad for v in variables]]


@pytest.mark.parametrize(
    ("ksize", "window"),
    [((3, 3), (1, 1, 1)), ((3, 3), (2, 1, 1)), ((5, 3), ((2, 1), (2, 3), (1, 2))), ((2, 4), ((1, 3), 0, 1))],
)
def test_all_ways(ksize, window):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s).astype(np.float32) for s in ((3, 70, 37, 29), (70, 1, *ksize), (70,))]
    shape = F.convolution_2d(*arrays, *window[:2], dilate=window[2], groups=70).shape
    gy = rng.standard_normal(shape).astype(np.float32)
    expected = convolved([array.astype(float) for array in arrays], gy, window, "reference")
    for got, right in zip(convolved(arrays, gy, window, "numba"), expected, strict=True):
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, right, rtol=1e-5, atol=1e-5 * np.abs(right).max())
