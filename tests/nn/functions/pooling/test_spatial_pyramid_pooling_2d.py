import math

import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions import spatial_pyramid_pooling_2d
from renga_testing.function_suite import FunctionSuite


def side_by_side(i, n, bins):
    k = math.ceil(n / bins)
    start = i * k - (k * bins - n) // 2
    return slice(max(start, 0), max(start + k, 0))


def overlapping(i, n, bins):
    return slice(math.floor(i * n / bins), math.ceil((i + 1) * n / bins))


class TestSpatialPyramidPooling2D(FunctionSuite):
    cases = {
        "even": {"size": (4, 8), "height": 3, "part": staticmethod(side_by_side)},
        "a rest": {"size": (7, 3), "height": 2, "part": staticmethod(side_by_side)},
        "windows side by side would not all see a pixel": {
            "size": (5, 5),
            "height": 3,
            "part": staticmethod(lambda i, n, bins: (overlapping if bins == 4 else side_by_side)(i, n, bins)),
        },
        "more bins than pixels": {"size": (1, 1), "height": 3, "part": staticmethod(overlapping)},
    }
    bad_inputs = {
        "three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["spatial_pyramid_pooling_2d: x", "(2, 3, 4)"]),
        "no pixels": ((np.zeros((2, 3, 4, 0)),), InvalidType, ["spatial_pyramid_pooling_2d: x", "(2, 3, 4, 0)"]),
    }

    def make_inputs(self, rng, dtype):
        shape = (2, 2, *self.size)
        return (rng.permutation(math.prod(shape)).reshape(shape).astype(dtype),)

    def call(self, x):
        return spatial_pyramid_pooling_2d(x, self.height)

    def reference(self, x):
        made = []
        for bins in (1, 2, 4)[: self.height]:
            level = np.zeros((*x.shape[:2], bins, bins))
            for i, j in np.ndindex(bins, bins):
                rows, columns = (self.part.__func__(a, n, bins) for a, n in zip((i, j), self.size, strict=True))
                level[:, :, i, j] = x[:, :, rows, columns].max(axis=(2, 3))
            made.append(level.reshape(len(x), 2 * bins * bins, 1, 1))
        return np.concatenate(made, axis=1)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 2, *self.size), dtype),)


def test_arguments():
    x = np.ones((1, 1, 4, 4))
    assert spatial_pyramid_pooling_2d(x, 3, "max").shape == (1, 21, 1, 1)
    with pytest.raises(ValueError, match="pooling is 'average'; choose from 'max'"):
        spatial_pyramid_pooling_2d(x, 3, "average")
    with pytest.raises(ValueError, match="pyramid_height is 0; it must be at least 1"):
        spatial_pyramid_pooling_2d(x, 0)
