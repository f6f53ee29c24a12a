"""Non-maximum suppression in groups against the reference: ties, equal boxes, NaN, infinite sides, limits, no boxes."""

import numpy as np
import pytest

from renga_cv.utils.suppression import NON_MAXIMUM_SUPPRESSION
from renga_kernels_numba.non_maximum_suppression import NonMaximumSuppression


def boxes_of(rng, number, whole):
    """Whole numbers make boxes that are equal or touch, and overlaps that equal the threshold."""
    if whole:
        start, size = rng.integers(0, 20, (number, 2)), rng.integers(-1, 9, (number, 2))
    else:
        start, size = rng.normal(0, 10, (number, 2)), rng.exponential(10, (number, 2))
    boxes = np.concatenate((start, start + size), axis=1).astype(float)
    if number > 9:
        boxes[rng.integers(0, number, 3), rng.integers(0, 4, 3)] = np.nan, np.inf, -np.inf
        boxes[5] = 0, 0, 3e38, 3e38
    return boxes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("whole", [True, False], ids=["whole numbers", "any numbers"])
def test_equals_the_reference(dtype, whole):
    rng = np.random.default_rng(0)
    for thresh in (0.0, 0.3, 1 / 3, 0.5, 1.0):
        for limit in (0, 2, 300):
            boxes = boxes_of(rng, int(rng.integers(0, 300)), whole).astype(dtype)
            bounds = np.sort(np.concatenate(([0, len(boxes)], rng.integers(0, len(boxes) + 1, 4))))
            with np.errstate(over="ignore", invalid="ignore"):
                expected = NON_MAXIMUM_SUPPRESSION.reference.forward(boxes, bounds, thresh, limit)
                dropped = NonMaximumSuppression.forward(boxes, bounds, thresh, limit)
            np.testing.assert_array_equal(dropped, expected, f"{thresh}, at most {limit}")
