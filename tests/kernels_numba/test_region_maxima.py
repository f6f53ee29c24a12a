"""Maxima of regions by the kernel against the reference: equal bits, ties and NaN among them, and the gradient."""

import numpy as np
import pytest

import renga.functions as F
from renga_cv.functions import ps_roi_max_align_2d

OPERATIONS = ("region_maxima", "region_maxima_spread")


@pytest.mark.filterwarnings("ignore:invalid value")  # infinity times a weight of 0
@pytest.mark.parametrize("kind", ["align", "pooling", "position-sensitive"])
def test_both_ways(kind, regions, both_ways):
    rng = np.random.default_rng(0)
    rois, images = regions
    function = {
        "align": lambda x: F.roi_max_align_2d(x, rois, images, (3, 4), 0.5),
        "pooling": lambda x: F.roi_max_pooling_2d(x, rois, images, 5, 0.5),
        "position-sensitive": lambda x: ps_roi_max_align_2d(x, rois, images, 4, 0.5, 2, 2),
    }[kind]
    x = rng.integers(-9, 10, (3, 76, 37, 41)).astype(np.float32)
    x[rng.random(x.shape) < 0.001] = np.nan
    x[rng.random(x.shape) < 0.01] = -np.inf
    gy = rng.integers(-9, 10, function(x).shape).astype(np.float32)
    y, gx = both_ways(function, x, gy, OPERATIONS, "numba")
    expected_y, expected_gx = both_ways(function, x, gy, OPERATIONS, "reference")
    np.testing.assert_array_equal(y, expected_y)
    np.testing.assert_allclose(gx, expected_gx, atol=2e-5)
