"""Masks of regions, against interpolation pixel by pixel."""

from __future__ import annotations

import numpy as np

from renga_cv.links.model.fpn.masks import mask_to_segm, segm_to_mask


def _enlarged(box: np.ndarray, size: int) -> tuple[int, int, int, int]:
    """The box with a pixel of the small mask more on each side, rounded to whole pixels."""
    dy, dx = (box[2] - box[0]) / size, (box[3] - box[1]) / size
    y1, x1, y2, x2 = (round(float(v)) for v in (box[0] - dy, box[1] - dx, box[2] + dy, box[3] + dx))
    return y1, x1, max(y2, y1 + 1), max(x2, x1 + 1)


def _bilinear(image: np.ndarray, y: float, x: float) -> float:
    """The value of an image between the centres of its pixels; borders are repeated."""
    height, width = image.shape
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    fy, fx = y - top, x - left
    above = image[top, left] * (1 - fx) + image[top, right] * fx
    return float(above * (1 - fy) + (image[bottom, left] * (1 - fx) + image[bottom, right] * fx) * fy)


BOXES = np.array([[3, 4, 15, 22], [-4, 10.3, 9.8, 40], [7.2, 7.6, 7.9, 8.1], [12, -9, 30, 3]], np.float32)


def test_small_masks_in_the_image() -> None:
    segm = np.random.default_rng(0).uniform(0, 1, (4, 6, 6)).astype(np.float32)
    mask = segm_to_mask(segm, BOXES, (20, 30))
    assert mask.dtype == bool
    for number, box in enumerate(BOXES):
        y1, x1, y2, x2 = _enlarged(box, 6)
        padded = np.pad(segm[number], 1)
        for y in range(20):
            for x in range(30):
                inside = y1 <= y < y2 and x1 <= x < x2
                place = (y - y1 + 0.5) * 8 / (y2 - y1) - 0.5, (x - x1 + 0.5) * 8 / (x2 - x1) - 0.5
                value = _bilinear(padded, *place) if inside else 0.0
                assert abs(value - 0.5) < 1e-5 or mask[number, y, x] == (value > 0.5)
    assert mask.any(axis=(1, 2))[[0, 1]].all()


def test_masks_cut_from_the_image() -> None:
    masks = np.random.default_rng(1).uniform(size=(2, 20, 30)) > 0.5
    index = np.array([1, 0, 1, 1])
    segm = mask_to_segm(masks, BOXES, 6, index)
    assert segm.dtype == np.float32
    for number, box in enumerate(BOXES):
        y1, x1, y2, x2 = _enlarged(box, 6)
        around = np.pad(masks[index[number]].astype(float), 50)[y1 + 50 : y2 + 50, x1 + 50 : x2 + 50]
        for i in range(6):
            for j in range(6):
                place = (i + 1.5) * (y2 - y1) / 8 - 0.5, (j + 1.5) * (x2 - x1) / 8 - 0.5
                np.testing.assert_allclose(segm[number, i, j], _bilinear(around, *place), atol=1e-5)


def test_there_and_back() -> None:
    masks = np.zeros((1, 64, 64), bool)
    masks[0, 10:40, 20:50] = True
    masks[0, 10:25, 20:35] = False
    box = np.array([[10, 20, 40, 50]], np.float32)
    assert (segm_to_mask(mask_to_segm(masks, box, 28), box, (64, 64)) != masks).mean() < 0.02


def test_no_masks() -> None:
    none = np.zeros((0, 4), np.float32)
    assert segm_to_mask(np.zeros((0, 28, 28), np.float32), none, (5, 6)).shape == (0, 5, 6)
    assert mask_to_segm(np.zeros((0, 5, 6), bool), none, 28).shape == (0, 28, 28)
