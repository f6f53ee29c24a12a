"""Maxima of rectangles of all sizes, against a search in each."""

import numpy as np
import pytest

from renga_core.graph import Variable
from renga_core.settings import using
from renga_nn.functions.pooling import largest_elements as module
from renga_nn.functions.pooling.region_maxima import largest_elements


@pytest.mark.parametrize("sorting", [0, 1 << 30], ids=["by ranks", "by steps"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_first_of_equals_and_nan(dtype, sorting, monkeypatch):
    monkeypatch.setattr(module, "_SORTING", sorting)
    height, width, channels = 11, 19, 2
    rng = np.random.default_rng(0)
    images = rng.integers(-2, 3, (2, height, width, channels)).astype(dtype)
    images[rng.random(images.shape) < 0.01] = np.nan
    images[1, ::2, ::3] *= -0.0  # zeros of both signs are equal
    number = np.repeat([0, 1], 40)
    rows, columns = [np.sort(rng.integers(0, n + 1, (2, 80, 1)), axis=0) for n in (height, width)]
    pixels = Variable(images.reshape(-1, channels))
    first = number[:, None, None] * (height * width)
    with using({"kernels.region_maxima": "reference"}):
        y, found = largest_elements(pixels, first, (height, width), tuple(rows), tuple(columns))
    expected, gradient = np.zeros((80, channels), dtype), np.zeros_like(images)
    for r in range(80):
        (top, bottom), (left, right) = rows[:, r, 0], columns[:, r, 0]
        assert found[r, 0, 0] == (top < bottom and left < right)
        if found[r, 0, 0]:
            for c in range(channels):
                seen = images[number[r], top:bottom, left:right, c]
                i, j = np.unravel_index(np.argmax(seen), seen.shape)  # the first NaN, or else the first of the largest
                expected[r, c] = seen[i, j]
                gradient[number[r], top + i, left + j, c] += 1
    there = found[:, 0, 0]
    assert 60 < there.sum() < 80
    assert y.array[there, :, 0, 0].tobytes() == expected[there].tobytes()
    y.grad = np.broadcast_to(found[:, None], y.shape).astype(dtype)
    y.backward()
    np.testing.assert_array_equal(pixels.grad.reshape(images.shape), gradient)
