"""Resizing images by the kernel, against the reference in float64: several pieces, few and many channels."""

import numpy as np
import pytest

import renga.functions as F
from renga_core.graph import Variable
from renga_core.settings import using


def resized(x, gy, mode, kernel):
    variable = Variable(x)
    with using({"kernels.resample": kernel}):
        y = F.resize_images(variable, gy.shape[2:], mode=mode)
        y.grad = gy
        y.backward()
    return y.array, variable.grad


@pytest.mark.parametrize("channels", [3, 20])
@pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])
@pytest.mark.parametrize(
    ("mode", "size"), [("bilinear", (70, 91)), ("bilinear", (11, 50)), ("nearest", (70, 20)), ("nearest", (11, 50))]
)
def test_both_ways(channels, last, mode, size):
    rng = np.random.default_rng(0)
    x, gy = (rng.standard_normal((2, channels, *s)).astype(np.float32) for s in ((30, 40), size))
    if last:
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    y, gx = resized(x, gy, mode, "numba")
    expected_y, expected_gx = resized(x.astype(float), gy.astype(float), mode, "reference")
    assert y.dtype == gx.dtype == np.float32
    np.testing.assert_allclose(y, expected_y, atol=2e-6)
    np.testing.assert_allclose(gx, expected_gx, atol=1e-5)
    assert (np.argmin(y.strides) == 1) == last  # pixels lie in memory as they did
