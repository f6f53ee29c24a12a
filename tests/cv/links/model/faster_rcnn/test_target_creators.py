"""What anchors and regions are to learn: invariants, against IoU computed box by box."""

from __future__ import annotations

import numpy as np
import pytest

from renga_cv.links.model.faster_rcnn.anchor_target_creator import AnchorTargetCreator
from renga_cv.links.model.faster_rcnn.anchors import generate_anchor_base, shifted_anchors
from renga_cv.links.model.faster_rcnn.box_coding import loc2bbox
from renga_cv.links.model.faster_rcnn.proposal_target_creator import ProposalTargetCreator

SIZE = (64, 80)
ANCHOR = shifted_anchors(generate_anchor_base(8, anchor_scales=[1, 2]), 8, 8, 10)


def _iou(a: np.ndarray, b: np.ndarray) -> float:
    height = max(0.0, float(min(a[2], b[2]) - max(a[0], b[0])))
    width = max(0.0, float(min(a[3], b[3]) - max(a[1], b[1])))
    area = float((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]))
    return height * width / (area - height * width)


def _boxes(seed: int, n: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    size = rng.uniform(6, 24, (n, 2))
    start = rng.uniform(0, 1, (n, 2)) * (np.array(SIZE) - size)
    return np.concatenate((start, start + size), axis=1).astype(np.float32)


def test_anchors_that_count_all_fit() -> None:
    boxes = _boxes(0, 3)
    loc, label = AnchorTargetCreator(n_sample=10**6, pos_ratio=0.999)(boxes, ANCHOR, SIZE)
    iou = np.array([[_iou(a, b) for b in boxes] for a in ANCHOR])
    inside = (ANCHOR[:, :2] >= 0).all(axis=1) & (ANCHOR[:, 2] <= SIZE[0]) & (ANCHOR[:, 3] <= SIZE[1])
    best = iou[inside].max(axis=0)
    expected = np.full(len(ANCHOR), -1)
    expected[inside & (iou.max(axis=1) < 0.3)] = 0
    expected[inside & ((iou.max(axis=1) >= 0.7) | np.isclose(iou, best, rtol=1e-6).any(axis=1))] = 1
    np.testing.assert_array_equal(label, expected)
    assert label.dtype == np.int32
    assert (label == 1).sum() >= 3
    np.testing.assert_allclose(loc2bbox(ANCHOR[inside], loc[inside]), boxes[iou[inside].argmax(axis=1)], atol=1e-4)
    assert not loc[~inside].any()


def test_at_most_so_many_anchors_count() -> None:
    _, every = AnchorTargetCreator(10**6, pos_iou_thresh=0.2, neg_iou_thresh=0.1)(_boxes(1, 4), ANCHOR, SIZE)
    _, label = AnchorTargetCreator(20, pos_iou_thresh=0.2, neg_iou_thresh=0.1)(_boxes(1, 4), ANCHOR, SIZE)
    assert (every == 1).sum() > 10
    assert (label == 1).sum() == 10
    assert (label == 0).sum() == 10
    assert (label == every)[label >= 0].all()


def test_an_image_without_boxes_has_negative_anchors_only() -> None:
    loc, label = AnchorTargetCreator(30)(np.zeros((0, 4), np.float32), ANCHOR, SIZE)
    assert (label == 0).sum() == 30
    assert not (label == 1).any()
    assert not loc.any()


def test_a_box_that_no_anchor_touches_makes_none_positive() -> None:
    anchors = np.array([[0, 0, 8, 8], [8, 8, 16, 16]], np.float32)
    _, label = AnchorTargetCreator()(np.array([[40, 40, 50, 50]], np.float32), anchors, SIZE)
    assert (label == 0).all()


def test_no_anchor_inside() -> None:
    _, label = AnchorTargetCreator()(_boxes(0, 2), np.array([[-1, 0, 8, 8]], np.float32), SIZE)
    assert (label == -1).all()


def test_regions() -> None:
    boxes, labels = _boxes(2, 3), np.array([4, 0, 2], np.int32)
    rng = np.random.default_rng(3)
    roi = np.concatenate([boxes + rng.normal(0, s, boxes.shape) for s in (0.5, 1, 2)] + [_boxes(4, 60)])
    roi = roi.astype(np.float32)
    mean, std = (0.1, 0.0, 0.2, 0.0), (0.1, 0.1, 0.2, 0.2)
    sample, loc, label = ProposalTargetCreator(32)(roi, boxes, labels, mean, std)
    assert sample.shape == (32, 4)
    assert loc.dtype == np.float32
    assert label.dtype == np.int32
    n = int((label > 0).sum())
    assert n == 8
    assert (label[:n] > 0).all()
    iou = np.array([[_iou(a, b) for b in boxes] for a in sample])
    assert (iou[:n].max(axis=1) >= 0.5).all()
    assert (iou[n:].max(axis=1) < 0.5).all()
    np.testing.assert_array_equal(label[:n], labels[iou[:n].argmax(axis=1)] + 1)
    there = loc2bbox(sample[:n], loc[:n] * np.float32(std) + np.float32(mean))
    np.testing.assert_allclose(there, boxes[iou[:n].argmax(axis=1)], atol=1e-4)
    # Drawn without replacement.
    assert len(np.unique(sample, axis=0)) == 32


def test_every_region_and_the_boxes_themselves() -> None:
    boxes = _boxes(2, 3)
    sample, loc, label = ProposalTargetCreator(None, pos_ratio=1)(_boxes(4, 20), boxes, np.zeros(3, np.int32))
    assert len(sample) == 23
    own = [(sample == box).all(axis=1) for box in boxes]
    assert all(mask.sum() == 1 and label[mask] == 1 for mask in own)
    np.testing.assert_allclose(loc[np.any(own, axis=0)], 0, atol=1e-5)


@pytest.mark.parametrize(("low", "n"), [(0.0, 20), (0.1, 0)])
def test_without_boxes_all_regions_are_background(low: float, n: int) -> None:
    creator = ProposalTargetCreator(neg_iou_thresh_lo=low)
    sample, loc, label = creator(_boxes(4, 20), np.zeros((0, 4), np.float32), np.zeros(0, np.int32))
    assert sample.shape == loc.shape == (n, 4)
    assert not label.any()
    assert not loc.any()
