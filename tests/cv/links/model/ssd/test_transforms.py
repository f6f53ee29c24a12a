"""What SSD's pictures go through in training."""

import colorsys
import random

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from renga_cv.links.model.ssd import transforms
from renga_cv.links.model.ssd.transforms import (
    random_crop_with_bbox_constraints,
    random_distort,
    resize_with_random_interpolation,
)
from renga_cv.utils.bbox import bbox_iou


@pytest.fixture(autouse=True)
def seeded():
    state = random.getstate()
    random.seed(0)
    yield
    random.setstate(state)


@pytest.fixture
def img():
    img = np.random.default_rng(0).uniform(0, 255, (3, 6, 7)).astype(np.float32)
    img[:, 0, 0], img[:, 0, 1], img[:, 0, 2] = 0, 255, (80, 80, 80)
    return img


def by_pixel(img, change):
    """`change` of hue, saturation and value, from 0 to 1, by Python's own conversions."""
    out = np.empty(img.shape)
    for i, j in np.ndindex(img.shape[1:]):
        h, s, v = change(*colorsys.rgb_to_hsv(*img[:, i, j].astype(float)))
        out[:, i, j] = colorsys.hsv_to_rgb(h % 1, min(s, 1), v)
    return out


@pytest.mark.parametrize("factor", [0.5, 1.3, 4.0])
def test_saturation(img, factor):
    right = by_pixel(img, lambda h, s, v: (h, s * factor, v))
    assert_allclose(transforms._saturate(img, factor), right, atol=1e-3)


@pytest.mark.parametrize("turn", [-18, 0, 7, 18, 90])
def test_hue(img, turn):
    right = by_pixel(img, lambda h, s, v: (h + turn / 180, s, v))
    assert_allclose(transforms._turn_hue(img, turn / 30), right, atol=1e-2)


class Script:
    """Random numbers as they are written down, and what was asked for."""

    def __init__(self, *values):
        self.values = list(values)
        self.asked = []

    def take(self, *args):
        self.asked.append(args)
        return self.values.pop(0)

    randrange = uniform = randint = take


@pytest.mark.parametrize("contrast_first", [0, 1])
def test_order_of_distortions(img, monkeypatch, contrast_first):
    colour = [1, 0.6, 1, -9]
    contrast = [1, 1.5]
    script = Script(1, 20.0, contrast_first, *((contrast + colour) if contrast_first else (colour + contrast)))
    monkeypatch.setattr(transforms, "random", script)
    out = random_distort(img)
    h = np.clip(img + 20.0, 0, 255)
    if contrast_first:
        h = np.clip(h * 1.5, 0, 255)
    h = by_pixel(h, lambda h, s, v: (h - 9 / 180, s * 0.6, v))
    if not contrast_first:
        h = np.clip(h * 1.5, 0, 255)
    assert_allclose(out, h, atol=1e-2)
    assert not script.values
    ranges = [args for args in script.asked if len(args) == 2]
    assert sorted(ranges) == sorted([(-32, 32), (0.5, 1.5), (0.5, 1.5), (-18, 18)])


def test_distortion_stays_within_bounds(img):
    before = img.copy()
    outs = [random_distort(img) for _ in range(60)]
    assert_array_equal(img, before)
    assert all(out.dtype == np.float32 and out.shape == img.shape for out in outs)
    assert min(out.min() for out in outs) >= 0
    assert max(out.max() for out in outs) <= 255.001
    unchanged = sum(np.array_equal(out, img) for out in outs)
    assert 0 < unchanged < 20  # one in sixteen
    assert random_distort(img.astype(np.uint8)).dtype == np.float32


def test_crops_meet_their_constraints():
    img = np.arange(3 * 40 * 60, dtype=np.float32).reshape(3, 40, 60)
    bbox = np.array([[5, 5, 25, 35], [10, 20, 38, 50]], np.float32)
    seen = set()
    for _ in range(40):
        out, param = random_crop_with_bbox_constraints(img, bbox, return_param=True)
        y, x = param["y_slice"], param["x_slice"]
        assert_array_equal(out, img[:, y, x])
        seen.add(param["constraint"])
        if param["constraint"] is None:
            assert out.shape == img.shape
            continue
        height, width = (y.stop - y.start) / 40, (x.stop - x.start) / 60
        assert 0.2 < (height * width) ** 0.5 <= 1
        assert 0.4 < height / width < 2.5
        low, high = param["constraint"]
        iou = bbox_iou(bbox, np.array([[y.start, x.start, y.stop, x.stop]], np.float32))
        assert iou.min() >= (low or 0)
        assert iou.max() <= (1 if high is None else high)
    assert {None, (0.1, None), (None, 1)} <= seen


def test_impossible_constraints_and_no_boxes_leave_the_image_whole():
    img = np.zeros((3, 8, 8), np.float32)
    far = np.array([[0, 0, 1, 1], [7, 7, 8, 8]], np.float32)
    for bbox, constraints in ((far, ((0.9, None),)), (np.zeros((0, 4), np.float32), None)):
        out = random_crop_with_bbox_constraints(img, bbox, constraints=constraints)
        assert out.shape == img.shape


def test_crops_of_full_scale():
    img = np.zeros((3, 8, 8), np.float32)
    bbox = np.array([[0, 0, 8, 8]], np.float32)
    for _ in range(20):
        out = random_crop_with_bbox_constraints(img, bbox, 1, 1, constraints=((0, None),))
        assert out.shape == img.shape


def test_random_interpolation():
    pytest.importorskip("PIL")
    img = np.random.default_rng(0).uniform(0, 255, (3, 9, 7)).astype(np.float32)
    seen = {}
    for _ in range(60):
        out, param = resize_with_random_interpolation(img, (5, 6), return_param=True)
        assert out.shape == (3, 5, 6)
        assert out.dtype == np.float32
        seen[param["interpolation"]] = out
    assert seen.keys() == {0, 1, 2, 3, 4}
    assert len({out.tobytes() for out in seen.values()}) == 5
    assert np.isin(seen[0], img).all()
    assert resize_with_random_interpolation(img, (3, 3)).shape == (3, 3, 3)
