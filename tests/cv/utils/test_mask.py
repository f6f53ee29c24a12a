import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from renga_core.graph import InvalidType
from renga_cv.utils import mask as module
from renga_cv.utils.mask import mask_iou, mask_to_bbox, scale_mask

sizes = st.tuples(st.integers(1, 9), st.integers(1, 9))
masks = sizes.flatmap(lambda size: hnp.arrays(bool, st.tuples(st.integers(0, 4), *map(st.just, size))))


@settings(max_examples=25, deadline=None)
@given(masks, st.integers(1, 60))
def test_iou_counts_pixels(mask, at_a_time):
    other = np.roll(mask, 1, axis=2)[:3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PIXELS_AT_A_TIME", at_a_time)
        iou = mask_iou(mask, other)
    assert iou.shape == (len(mask), len(other))
    assert iou.dtype == np.float32
    expected = [[(a & b).sum() / max((a | b).sum(), 1) for b in other] for a in mask]
    np.testing.assert_allclose(iou, np.reshape(expected, iou.shape), rtol=1e-6)


@settings(max_examples=25, deadline=None)
@given(masks)
def test_boxes_around_masks(mask):
    bbox = mask_to_bbox(mask)
    assert (bbox.shape, bbox.dtype) == ((len(mask), 4), np.float32)
    for one, box in zip(mask, bbox, strict=True):
        y, x = np.nonzero(one)
        assert box.tolist() == ([y.min(), x.min(), y.max() + 1, x.max() + 1] if len(y) else [0, 0, 0, 0])


@settings(max_examples=25, deadline=None)
@given(masks, st.integers(1, 20))
def test_scaled_masks_have_the_pixel_under_each_centre(mask, size):
    before = mask.shape[1:]
    scaled = scale_mask(mask, mask_to_bbox(mask), size)
    height, width = scaled.shape[1:]
    assert min(height, width) == size
    assert max(height, width) == size * max(before) // min(before)
    for y in range(height):
        for x in range(width):
            pixel = mask[:, int((y + 0.5) * before[0] / height), int((x + 0.5) * before[1] / width)]
            np.testing.assert_array_equal(scaled[:, y, x], pixel)


def test_a_mask_is_looked_at_inside_its_box_only():
    mask = np.ones((1, 4, 4), bool)
    assert scale_mask(mask, np.array([[1.0, 0, 3, 2]]), 8)[0].sum() == 16


def test_pictures_without_pixels():
    assert mask_iou(np.zeros((2, 0, 3), bool), np.zeros((1, 0, 3), bool)).tolist() == [[0], [0]]
    assert mask_to_bbox(np.zeros((2, 0, 3), bool)).tolist() == [[0] * 4] * 2


def test_what_are_no_masks_is_said():
    right = np.zeros((2, 4, 5), bool)
    with pytest.raises(InvalidType, match=r"mask_b: expected masks of the size of mask_a, 4 x 5, got bool \(2, 4, 6\)"):
        mask_iou(right, np.zeros((2, 4, 6), bool))
    with pytest.raises(InvalidType, match=r"masks .* of booleans, got float32"):
        mask_iou(right.astype(np.float32), right)
    with pytest.raises(InvalidType, match="mask_to_bbox"):
        mask_to_bbox(right[0])
    with pytest.raises(InvalidType, match="a box for each mask"):
        scale_mask(right, np.zeros((3, 4)), 3)
    with pytest.raises(ValueError, match="at least 1"):
        scale_mask(right, np.zeros((2, 4)), 0)
