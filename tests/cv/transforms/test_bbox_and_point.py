"""Boxes and points move as the pixels of an image do: a box is the place of a block of ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_core.graph import InvalidType
from renga_cv.transforms.bbox import crop_bbox, flip_bbox, resize_bbox, rotate_bbox, translate_bbox
from renga_cv.transforms.image.crop import random_crop
from renga_cv.transforms.image.expand import random_expand
from renga_cv.transforms.image.flip import flip
from renga_cv.transforms.image.rotate import rotate
from renga_cv.transforms.point import flip_point, resize_point, translate_point


@st.composite
def image_with_boxes(draw):
    """An image, a channel for each of some boxes, which is one inside the box; and the boxes."""
    height, width = draw(st.integers(2, 9)), draw(st.integers(2, 9))
    boxes = []
    for _ in range(draw(st.integers(1, 4))):
        y, x = draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))
        boxes.append((y, x, draw(st.integers(y + 1, height)), draw(st.integers(x + 1, width))))
    img = np.zeros((len(boxes), height, width), np.float32)
    for channel, (y_min, x_min, y_max, x_max) in zip(img, boxes, strict=True):
        channel[y_min:y_max, x_min:x_max] = 1
    return img, np.array(boxes, np.float32)


def place_of(channel):
    """The box of the ones in a channel; None if there are none."""
    y, x = np.nonzero(channel)
    return (y.min(), x.min(), y.max() + 1, x.max() + 1) if len(y) else None


def assert_boxes_of(img, boxes):
    assert boxes.dtype == np.float32
    np.testing.assert_array_equal([place_of(channel) for channel in img], boxes)


@settings(max_examples=20, deadline=None)
@given(image_with_boxes(), st.booleans(), st.booleans(), st.integers(-5, 5))
def test_flip_and_rotate(example, y_flip, x_flip, turns):
    img, bbox = example
    size, before = img.shape[1:], bbox.copy()
    assert_boxes_of(flip(img, y_flip, x_flip), flip_bbox(bbox, size, y_flip, x_flip))
    assert_boxes_of(rotate(img, 90 * turns), rotate_bbox(bbox, 90 * turns, size))
    np.testing.assert_array_equal(bbox, before)
    # Points at the corners of boxes go where the corners go.
    corners = bbox.reshape(-1, 2, 2)
    flipped = flip_point(corners, size, y_flip, x_flip)
    np.testing.assert_array_equal(np.sort(flipped, axis=1).reshape(-1, 4), flip_bbox(bbox, size, y_flip, x_flip))


@settings(max_examples=25, deadline=None)
@given(image_with_boxes(), st.data())
def test_crop(example, data):
    img, bbox = example
    size = tuple(data.draw(st.integers(1, length)) for length in img.shape[1:])
    part, where = random_crop(img, size, return_param=True)
    cropped, param = crop_bbox(bbox, where["y_slice"], where["x_slice"], return_param=True)
    places = [place_of(channel) for channel in part]
    kept = [i for i, place in enumerate(places) if place is not None]
    assert param["index"].tolist() == kept
    assert_boxes_of(part[kept], cropped.reshape(-1, 4)) if kept else None
    areas = img.sum(axis=(1, 2))[kept], part.sum(axis=(1, 2))[kept]
    assert param["truncated_index"].tolist() == np.flatnonzero(areas[0] != areas[1]).tolist()


@settings(max_examples=15, deadline=None)
@given(image_with_boxes(), st.integers(1, 4), st.integers(1, 4))
def test_translate_and_resize(example, y_ratio, x_ratio):
    img, bbox = example
    expanded, param = random_expand(img, 3, return_param=True)
    assert_boxes_of(expanded, translate_bbox(bbox, param["y_offset"], param["x_offset"]))
    size = img.shape[1:]
    larger = img.repeat(y_ratio, axis=1).repeat(x_ratio, axis=2)
    assert_boxes_of(larger, resize_bbox(bbox, size, larger.shape[1:]))
    points = bbox.reshape(-1, 2, 2)
    for moved_points, moved_boxes in (
        (resize_point(points, size, larger.shape[1:]), resize_bbox(bbox, size, larger.shape[1:])),
        (translate_point(points, 2, -1), translate_bbox(bbox, 2, -1)),
    ):
        assert moved_points.dtype == np.float32
        np.testing.assert_array_equal(moved_points.reshape(-1, 4), moved_boxes)


def test_crop_by_the_centre_of_boxes():
    bbox = np.array([[0, 0, 4, 4], [0, 0, 4, 2], [2, 2, 6, 6]], np.float32)
    # Centres (2, 2), (2, 1), (4, 4): the start of a slice belongs to it, and its end does not.
    assert len(crop_bbox(bbox, slice(2, 4), slice(2, 4))) == 2
    inside, param = crop_bbox(bbox, slice(2, 4), slice(2, 4), allow_outside_center=False, return_param=True)
    assert inside.tolist() == [[0, 0, 2, 2]]
    assert (param["index"].tolist(), param["truncated_index"].tolist()) == ([0], [0])


def test_crop_of_whole_axes_keeps_boxes():
    bbox = np.array([[0, 1, 4, 5]], np.float32)
    assert crop_bbox(bbox).tolist() == bbox.tolist()
    assert crop_bbox(bbox, x_slice=slice(2, None)).tolist() == [[0, 0, 4, 3]]


def test_no_boxes_and_no_points():
    none, points = np.zeros((0, 4), np.float32), np.zeros((0, 3, 2), np.float32)
    for moved in (
        crop_bbox(none, slice(0, 3), slice(0, 3)),
        flip_bbox(none, (3, 3), True, True),
        resize_bbox(none, (3, 3), (6, 6)),
        rotate_bbox(none, 90, (3, 3)),
        translate_bbox(none, 1, 1),
    ):
        assert (moved.shape, moved.dtype) == ((0, 4), np.float32)
    assert flip_point(points, (3, 3), True).shape == resize_point(points, (3, 3), (6, 6)).shape == (0, 3, 2)
    assert translate_point(points, 1).shape == (0, 3, 2)


def test_bad_arguments_are_said():
    wrong = np.zeros((2, 3))
    for call in (
        lambda: crop_bbox(wrong),
        lambda: flip_bbox(wrong, (2, 2)),
        lambda: resize_bbox(wrong, (2, 2), (2, 2)),
        lambda: rotate_bbox(wrong, 90, (2, 2)),
        lambda: translate_bbox(wrong),
        lambda: flip_point(wrong, (2, 2)),
        lambda: resize_point(wrong, (2, 2), (2, 2)),
        lambda: translate_point(wrong),
    ):
        with pytest.raises(InvalidType, match=r"float64 \(2, 3\)"):
            call()
    with pytest.raises(ValueError, match="multiple of 90"):
        rotate_bbox(np.zeros((1, 4)), 45, (2, 2))
    with pytest.raises(ValueError, match="y_slice"):
        crop_bbox(np.zeros((1, 4)), slice(-3, None))
    with pytest.raises(TypeError, match="size must be a pair"):
        flip_bbox(np.zeros((1, 4)), 3)
