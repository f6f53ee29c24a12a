"""Position-sensitive pooling of regions, against loops over regions, bins, channels and pixels or samples."""

import math

import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_cv.functions import (
    ps_roi_average_align_2d,
    ps_roi_average_pooling_2d,
    ps_roi_max_align_2d,
    ps_roi_max_pooling_2d,
)
from renga_nn.functions import where
from renga_testing.function_suite import FunctionSuite

# A large one, one between pixels, a tiny one, one without extent, ones that lie outside in part and altogether.
BOXES = np.array(
    [[0.1, 0.3, 8.3, 11.7], [2.2, 2.9, 9.3, 6.7], [4.1, 2.3, 4.5, 2.6], [6.3, 6.1, 2, 2], [-5.1, 3.3, 4.3, 20.9]]
    + [[30, 40, 40, 50]]
)
IMAGES = np.array([1, 0, 1, 0, 1, 0])
SCALE, GROUP, CHANNELS, SIZE = 0.5, 2, 3, (5, 6)


def over_bins(x, out, of_bin):
    """`of_bin` of the map, start and length of each bin."""
    y = np.zeros((len(BOXES), CHANNELS, *out))
    for r, box in enumerate(BOXES * SCALE):
        steps = [max(box[axis + 2] - box[axis], 0.1) / out[axis] for axis in (0, 1)]
        for c, i, j in np.ndindex(CHANNELS, *out):
            cell = (i * GROUP // out[0], j * GROUP // out[1])
            image = x[IMAGES[r], (c * GROUP + cell[0]) * GROUP + cell[1]]
            y[r, c, i, j] = of_bin(image, (box[0] + i * steps[0], box[1] + j * steps[1]), steps)
    return y


def pooled(summary, empty):
    def of_bin(image, start, steps):
        parts = [
            slice(max(math.floor(low), 0), max(math.ceil(low + step), 0))
            for low, step in zip(start, steps, strict=True)
        ]
        seen = image[parts[0], parts[1]]
        return summary(seen) if seen.size else empty

    return of_bin


def interpolated(image, v, u):
    """The value between pixels, or None far out."""
    height, width = image.shape
    if not (-1 <= v <= height and -1 <= u <= width):
        return None
    v, u = min(max(v, 0), height - 1), min(max(u, 0), width - 1)
    rows = np.maximum(0, 1 - abs(np.arange(height) - v))
    return rows @ image @ np.maximum(0, 1 - abs(np.arange(width) - u))


def sampled(summary, ratio):
    def of_bin(image, start, steps):
        counts = [math.ceil(step) if ratio is None else ratio for step in steps]
        samples = [
            interpolated(
                image, start[0] + steps[0] * (a + 0.5) / counts[0], start[1] + steps[1] * (b + 0.5) / counts[1]
            )
            for a, b in np.ndindex(*counts)
        ]
        return summary([s for s in samples if s is not None], math.prod(counts))

    return of_bin


class PositionSensitive(FunctionSuite):
    """Maps in which no two elements are close."""

    subjects = ()
    cases = {"even": {"out": (4, 2)}, "uneven": {"out": (1, 5)}}
    excluded = {"empty": "regions of maps that are not there are refused: see the bad inputs"}
    bad_inputs = {
        "three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["x", "(N, C, H, W)", "(2, 3, 4)"]),
        "channels": ((np.zeros((2, 13, 4, 4)),), InvalidType, ["x", "multiple of 4", "group_size", "(2, 13, 4, 4)"]),
        "too few images": ((np.zeros((1, 12, 4, 4)),), ValueError, ["roi_indices from 0 to 1", "images 0 to 0"]),
    }

    def make_inputs(self, rng, dtype):
        shape = (2, CHANNELS * GROUP**2, *SIZE)
        return ((rng.permutation(math.prod(shape)).reshape(shape) / 64 - 1).astype(dtype),)

    def call(self, x, **options):
        """The result, with 0 in place of -inf, so that differences can be taken."""
        send = x.device.send
        y = self.function(x, send(BOXES), send(IMAGES), self.out, SCALE, GROUP, **options)
        return where(y.array > -np.inf, y, 0.0)


class TestPSROIAveragePooling2D(PositionSensitive):
    function = staticmethod(ps_roi_average_pooling_2d)

    def reference(self, x):
        return over_bins(x, self.out, pooled(np.mean, 0))


class TestPSROIMaxPooling2D(PositionSensitive):
    function = staticmethod(ps_roi_max_pooling_2d)

    def reference(self, x):
        return over_bins(x, self.out, pooled(np.max, 0))


class TestPSROIAverageAlign2D(PositionSensitive):
    function = staticmethod(ps_roi_average_align_2d)
    cases = {
        "as many as pixels": {"out": (3, 5), "ratio": None},
        "two samples": {"out": (4, 2), "ratio": 2},
    }

    def call(self, x):
        return super().call(x, sampling_ratio=self.ratio)

    def reference(self, x):
        return over_bins(x, self.out, sampled(lambda samples, count: sum(samples) / count, self.ratio))


class TestPSROIMaxAlign2D(TestPSROIAverageAlign2D):
    function = staticmethod(ps_roi_max_align_2d)

    def reference(self, x):
        largest = sampled(lambda samples, count: max(samples, default=0), self.ratio)
        return over_bins(x, self.out, largest)


@pytest.mark.parametrize(
    ("function", "empty"),
    [
        (ps_roi_average_pooling_2d, 0),
        (ps_roi_max_pooling_2d, -np.inf),
        (ps_roi_average_align_2d, 0),
        (ps_roi_max_align_2d, -np.inf),
    ],
)
def test_a_bin_outside_of_the_image(function, empty):
    y = function(np.ones((1, 4, 3, 3)), np.array([[0, 0, 20, 2.0]]), np.array([0]), 2, 1.0, 2).array
    assert y[0, 0, 0].tolist() != [empty, empty]
    assert y[0, 0, 1].tolist() == [empty, empty]


def test_channels_of_outsize_are_checked():
    x, rois, images = np.zeros((1, 12, 4, 4)), np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([0])
    assert ps_roi_max_pooling_2d(x, rois, images, (3, 1, 5), 1.0, 2).shape == (1, 3, 1, 5)
    with pytest.raises(InvalidType, match="outsize has 2 channels"):
        ps_roi_average_align_2d(x, rois, images, (2, 1, 5), 1.0, 2)


@pytest.mark.parametrize(
    "function",
    [ps_roi_average_pooling_2d, ps_roi_max_pooling_2d, ps_roi_average_align_2d, ps_roi_max_align_2d],
)
def test_no_regions_give_no_results(function):
    y = function(np.ones((2, 8, 3, 3), "f"), np.zeros((0, 4), "f"), np.zeros(0, "i"), (2, 4), 1.0, 2)
    assert y.shape == (0, 2, 2, 4)
