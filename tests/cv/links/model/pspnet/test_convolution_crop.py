"""Tiles cover the image, and are parts of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_cv.links.model.pspnet.convolution_crop import convolution_crop

lengths = st.integers(1, 25)


@settings(max_examples=40, deadline=None)
@given(size=st.tuples(lengths, lengths), window=st.tuples(lengths, lengths), data=st.data())
def test_each_pixel_is_in_a_tile_at_its_place(size, window, data):
    stride = tuple(data.draw(st.integers(1, length)) for length in window)
    img = np.arange(1.0, 2 * size[0] * size[1] + 1).reshape(2, *size)
    crops, param = convolution_crop(img, window, stride, return_param=True)
    assert crops.shape[1:] == (2, *window)
    counts = np.zeros(size)
    for crop, y, x, crop_y, crop_x in zip(crops, *param.values(), strict=True):
        assert np.array_equal(crop[:, crop_y, crop_x], img[:, y, x])
        outside = np.ones(window, bool)
        outside[crop_y, crop_x] = False
        assert (crop[:, outside] == 0).all()
        counts[y, x] += 1
    assert counts.min() >= 1
    assert np.array_equal(convolution_crop(img, window, stride), crops)


@settings(max_examples=40, deadline=None)
@given(length=lengths, window=lengths, data=st.data())
def test_tiles_are_at_the_stride_and_reach_beyond_both_ends_alike(length, window, data):
    stride = data.draw(st.integers(1, window))
    _, param = convolution_crop(np.zeros((1, length, 1)), (window, 1), (stride, 1), return_param=True)
    starts = [y.start - crop.start for y, crop in zip(param["y_slices"], param["crop_y_slices"], strict=True)]
    assert set(np.diff(starts)) <= {stride}
    before, after = -starts[0], starts[-1] + window - length
    assert 0 <= after - before <= 1
    # No more tiles than are needed.
    assert len(starts) == 1 or (len(starts) - 2) * stride + window < length


def test_a_stride_that_leaves_pixels_out_is_refused():
    with pytest.raises(ValueError, match="leave pixels out"):
        convolution_crop(np.zeros((1, 9, 9)), (3, 3), (4, 3))
