"""Sums over regions by the kernel, and their gradient, against the reference in float64: many bins, several bands."""

import numpy as np
import pytest

import renga.functions as F
from renga_cv.functions import ps_roi_average_align_2d

OPERATIONS = ("region_sums", "region_spread")


@pytest.mark.parametrize("kind", ["align", "pooling", "position-sensitive"])
def test_both_ways(kind, regions, both_ways):
    rng = np.random.default_rng(0)
    rois, images = regions
    function = {
        "align": lambda x: F.roi_average_align_2d(x, rois, images, (3, 4), 0.5),
        "pooling": lambda x: F.roi_average_pooling_2d(x, rois, images, 5, 0.5),
        "position-sensitive": lambda x: ps_roi_average_align_2d(x, rois, images, 4, 0.5, 2, 2),
    }[kind]
    x = rng.standard_normal((3, 76, 37, 41)).astype(np.float32)
    gy = rng.standard_normal(function(x).shape).astype(np.float32)
    y, gx = both_ways(function, x, gy, OPERATIONS, "numba")
    expected_y, expected_gx = both_ways(function, x.astype(float), gy, OPERATIONS, "reference")
    assert y.dtype == gx.dtype == np.float32
    np.testing.assert_allclose(y, expected_y, atol=1e-5)
    np.testing.assert_allclose(gx, expected_gx, atol=2e-5)
