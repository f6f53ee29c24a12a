"""Pictures that are changed at random: what is in them follows."""

import random

import numpy as np
import pytest

from renga_cv.datasets.own_pictures.variation import Variation
from renga_cv.utils.mask import mask_to_bbox

pytestmark = pytest.mark.usefixtures("draws")

BOXES = np.array([[6, 8, 20, 30], [28, 40, 44, 52]], np.float32)
LABELS = np.array([3, 5], np.int32)
CHANGES = {
    "flip": {"flip": True},
    "crop": {"crop": True},
    "scale": {"scale": (0.5, 2.0)},
    "all": {"flip": True, "crop": True, "scale": (0.5, 2.0)},
}


@pytest.fixture
def scene():
    """A dark picture, an object bright in green and one bright in blue, and their masks."""
    image, masks = np.full((3, 48, 60), 20, np.float32), np.zeros((2, 48, 60), bool)
    for number, (top, left, bottom, right) in enumerate(BOXES.astype(int)):
        image[number + 1, top:bottom, left:right] = 250
        masks[number, top:bottom, left:right] = True
    return image, masks


def visible(image, label):
    """Where the object of a class is, as the picture says it."""
    return image[1 + list(LABELS).index(label)] > 135


@pytest.mark.parametrize("change", CHANGES)
def test_boxes_and_masks_follow_the_picture(scene, change):
    image, masks = scene
    vary, shapes, seen = Variation(**CHANGES[change]), set(), 0
    for seed in range(40):
        random.seed(seed)
        varied, boxes, labels = vary.objects(image, BOXES, LABELS)
        random.seed(seed)
        again, cut, mask_labels = vary.objects(image, masks, LABELS)
        assert varied.dtype == np.float32
        assert (boxes.dtype, labels.dtype, cut.dtype) == (np.float32, np.int32, np.bool_)
        if change != "all":  # there rounded boxes can have another crop
            np.testing.assert_array_equal(again, varied)
        shapes.add((varied.shape, tuple(np.round(boxes.ravel()))))
        for box, label in zip(boxes, labels, strict=True):
            np.testing.assert_allclose(box, mask_to_bbox(visible(varied, label)[None])[0], atol=1)
            seen += 1
        for mask, label in zip(cut, mask_labels, strict=True):
            assert mask.shape == again.shape[1:]
            assert (mask != visible(again, label)).sum() <= np.ceil(mask_to_bbox(mask[None])[0].sum())  # an edge
    assert len(shapes) > 1
    assert seen > 30


def test_classes_of_pixels_follow_the_picture(scene):
    image, masks = scene
    pixels = (masks * LABELS[:, None, None]).sum(0, dtype=np.int32)
    outside = 0
    for seed in range(20):
        random.seed(seed)
        varied, label = Variation(flip=True, scale=(0.5, 2.0)).pixels(image, pixels)
        assert (varied.shape, label.shape, label.dtype) == (image.shape, pixels.shape, np.int32)
        for number in LABELS:
            wrong = visible(varied, number) != (label == number)
            assert wrong.sum() <= 2 * sum(image.shape)
            assert not wrong[label == -1].any()
        outside += (label == -1).any()
    assert 3 < outside < 20


def test_colours_change_and_nothing_else(scene):
    image, _ = scene
    random.seed(0)
    varied, boxes, labels = Variation(distort=True).objects(image, BOXES, LABELS)
    assert not np.array_equal(varied, image)
    assert varied.min() >= 0
    assert varied.max() <= 255
    np.testing.assert_array_equal(boxes, BOXES)
    np.testing.assert_array_equal(labels, LABELS)


def test_a_picture_without_objects_stays_one(scene):
    image, masks = scene
    for none in (BOXES[:0], masks[:0]):
        random.seed(1)
        _, truth, labels = Variation(True, True, True, (0.5, 2.0)).objects(image, none, LABELS[:0])
        assert (len(truth), len(labels), truth.ndim) == (0, 0, none.ndim)


@pytest.mark.parametrize("scale", [(0, 1), (2, 1), (-1, -0.5)])
def test_a_scale_that_is_none_is_refused(scale):
    with pytest.raises(ValueError, match=r"scale is \[least, most\]"):
        Variation(scale=scale)
