"""Regions of images, against loops over regions, bins and samples."""

import math

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import (
    roi_average_align_2d,
    roi_average_pooling_2d,
    roi_max_align_2d,
    roi_max_pooling_2d,
    roi_pooling_2d,
)
from renga_testing.function_suite import FunctionSuite

# Even and uneven bins, one pixel, one that is no region, and ones that lie outside in part and altogether.
BOXES = np.array(
    [[0, 0, 8, 12], [2, 2, 9.2, 6.8], [4.2, 2.2, 5, 3], [6, 6, 2, 2], [-5, 3, 4, 20], [30, 40, 40, 50], [1, 1, 11, 11]]
)
IMAGES = np.array([1, 0, 1, 0, 2, 2, 0])
SCALE = 0.5


def nearest(value):
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def bin_of(i, low, high, out, size):
    length = max(high - low, 1)
    start, end = low + math.floor(i * length / out), low + math.ceil((i + 1) * length / out)
    return slice(min(max(start, 0), size), min(max(end, 0), size))


def over_bins(x, boxes, images, out, summary):
    """`summary` of each bin that has pixels; `boxes` are of integers."""
    y = np.zeros((len(boxes), x.shape[1], *out))
    for r, (top, left, bottom, right) in enumerate(boxes):
        for i, j in np.ndindex(*out):
            rows, columns = bin_of(i, top, bottom, out[0], x.shape[2]), bin_of(j, left, right, out[1], x.shape[3])
            seen = x[images[r], :, rows, columns]
            if seen.size:
                y[r, :, i, j] = summary(seen, axis=(1, 2))
    return y


def interpolated(image, v, u):
    """The value between pixels, or None far out."""
    height, width = image.shape[1:]
    if not (-1 <= v <= height and -1 <= u <= width):
        return None
    v, u = min(max(v, 0), height - 1), min(max(u, 0), width - 1)
    rows = np.maximum(0, 1 - abs(np.arange(height) - v))
    columns = np.maximum(0, 1 - abs(np.arange(width) - u))
    return np.einsum("chw,h,w->c", image, rows, columns)


def over_samples(x, boxes, images, out, ratios, summary):
    y = np.zeros((len(boxes), x.shape[1], *out))
    for r, (top, left, bottom, right) in enumerate(boxes):
        steps = [max(end - start, 1) / n for start, end, n in ((top, bottom, out[0]), (left, right, out[1]))]
        counts = [math.ceil(step) if ratio is None else ratio for step, ratio in zip(steps, ratios, strict=True)]
        for i, j in np.ndindex(*out):
            samples = [
                interpolated(
                    x[images[r]],
                    top + steps[0] * (i + (a + 0.5) / counts[0]),
                    left + steps[1] * (j + (b + 0.5) / counts[1]),
                )
                for a, b in np.ndindex(*counts)
            ]
            y[r, :, i, j] = summary([s for s in samples if s is not None], math.prod(counts))
    return y


def mean_of(samples, count):
    return np.sum(samples, axis=0) / count if samples else 0


def largest_of(samples, count):
    return np.max(samples, axis=0) if samples else 0


class RegionSuite(FunctionSuite):
    """`function` of images in which no two elements are close."""

    boxes, images = BOXES, IMAGES
    scale = SCALE
    size = (5, 6)
    excluded = {"empty": "regions of images that are not there are refused: see its bad inputs"}

    def make_inputs(self, rng, dtype):
        shape = (3, 2, *self.size)
        return ((rng.permutation(math.prod(shape)).reshape(shape) / 64 - 1).astype(dtype),)

    def regions(self, x):
        return x.device.send(self.boxes.astype(x.dtype)), x.device.send(self.images)


class Bins(RegionSuite):
    cases = {"a grid": {"out": (2, 3)}, "many bins": {"out": (7, 5)}, "one": {"out": (1, 1)}}

    def call(self, x):
        return self.function(x, *self.regions(x), self.out, self.scale)

    def reference(self, x):
        boxes = [[nearest(value * self.scale) for value in box] for box in self.boxes]
        return over_bins(x, boxes, self.images, self.out, self.summary)


class TestROIMaxPooling2D(Bins):
    function = staticmethod(roi_max_pooling_2d)
    summary = staticmethod(np.max)
    bad_inputs = {
        "three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["roi_max_pooling_2d: x", "(N, C, H, W)", "(2, 3, 4)"]),
        "integers": ((np.zeros((3, 3, 4, 4), int),), InvalidType, ["roi_max_pooling_2d: x", "floating"]),
        "too few images": ((np.zeros((2, 3, 4, 4)),), ValueError, ["roi_indices from 0 to 2", "images 0 to 1"]),
        "no images": ((np.zeros((0, 3, 4, 4)),), InvalidType, ["roi_max_pooling_2d: x", "(0, 3, 4, 4)"]),
    }


class TestROIAveragePooling2D(Bins):
    function = staticmethod(roi_average_pooling_2d)
    summary = staticmethod(np.mean)
    bad_inputs = {"three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["roi_average_pooling_2d: x", "(2, 3, 4)"])}


class TestROIPooling2D(RegionSuite):
    cases = {"a grid": {"out": (2, 3)}, "one": {"out": (1, 1)}}
    bad_inputs = {"three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["roi_pooling_2d: x", "(2, 3, 4)"])}

    def call(self, x):
        top, left, bottom, right = self.boxes.T
        rois = np.stack([self.images, left, top, right, bottom], axis=1)
        return roi_pooling_2d(x, x.device.send(rois.astype(x.dtype)), *self.out, self.scale)

    def reference(self, x):
        boxes = np.array([[nearest(value * self.scale) for value in box] for box in self.boxes]) + [0, 0, 1, 1]
        return over_bins(x, boxes, self.images, self.out, np.max)


class Aligned(RegionSuite):
    cases = {
        "as many as pixels": {"out": (2, 3), "ratio": None},
        "few": {"out": (1, 2), "ratio": 2},
        "a pair": {"out": (3, 2), "ratio": (1, None)},
    }
    boxes = BOXES + 0.0625  # in half precision, too

    def call(self, x):
        return self.function(x, *self.regions(x), self.out, self.scale, self.ratio)

    def reference(self, x):
        ratios = self.ratio if isinstance(self.ratio, tuple) else (self.ratio, self.ratio)
        return over_samples(x, self.boxes * self.scale, self.images, self.out, ratios, self.summary)


class TestROIAverageAlign2D(Aligned):
    function = staticmethod(roi_average_align_2d)
    summary = staticmethod(mean_of)
    bad_inputs = {"three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["roi_average_align_2d: x", "(2, 3, 4)"])}


class TestROIMaxAlign2D(Aligned):
    function = staticmethod(roi_max_align_2d)
    summary = staticmethod(largest_of)
    bad_inputs = {"three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["roi_max_align_2d: x", "(2, 3, 4)"])}


FUNCTIONS = [roi_max_pooling_2d, roi_average_pooling_2d, roi_max_align_2d, roi_average_align_2d]
X = np.zeros((2, 3, 4, 5))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_regions(function):
    x = Variable(X)
    y = function(x, np.zeros((0, 4)), np.zeros(0, int), (2, 3), 1.0)
    assert y.shape == (0, 3, 2, 3)
    y.sum().backward()
    assert not x.grad.any()
    assert function(X[:0], np.zeros((0, 4)), np.zeros(0, int), (2, 3), 1.0).shape == (0, 3, 2, 3)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_regions_that_are_none(function):
    name = function.__name__
    with pytest.raises(InvalidType, match=rf"{name}: rois: expected boxes \(R, 4\).*\(1, 5\)"):
        function(X, np.zeros((1, 5)), np.zeros(1, int), 2, 1.0)
    with pytest.raises(InvalidType, match=rf"{name}: roi_indices: expected integers \(1,\).*float64 \(1,\)"):
        function(X, np.zeros((1, 4)), np.zeros(1), 2, 1.0)
    with pytest.raises(ValueError, match=rf"{name}: spatial_scale must be positive, not 0"):
        function(X, np.zeros((1, 4)), np.zeros(1, int), 2, 0)
    with pytest.raises(ValueError, match=rf"{name}: outsize"):
        function(X, np.zeros((1, 4)), np.zeros(1, int), 0, 1.0)


def test_regions_with_an_image_in_front():
    with pytest.raises(InvalidType, match=r"roi_pooling_2d: rois: expected regions \(R, 5\)"):
        roi_pooling_2d(X, np.zeros((1, 4)), 1, 1, 1.0)


@pytest.mark.parametrize("ratio", [0, 1.5, (1, 2, 3), "many"])
def test_sampling_ratio_that_makes_no_sense(ratio):
    for function in (roi_max_align_2d, roi_average_align_2d):
        with pytest.raises(ValueError, match=f"{function.__name__}: sampling_ratio"):
            function(X, np.zeros((1, 4)), np.zeros(1, int), 1, 1.0, ratio)


def test_nan_is_the_largest():
    x = np.arange(16.0).reshape(1, 1, 4, 4)
    x[0, 0, 1, 1] = np.nan
    box, image = np.array([[0.0, 0, 4, 4]]), np.zeros(1, int)
    assert np.isnan(roi_max_pooling_2d(x, box, image, 2, 1.0).array[0, 0]).tolist() == [[True, False], [False, False]]
    assert np.isnan(roi_max_align_2d(x, box, image, 2, 1.0).array[0, 0, 0, 0])
