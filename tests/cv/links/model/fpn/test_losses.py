"""Losses and what they draw, against sums in double precision; and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from renga_core.graph import Variable
from renga_cv.links.model.faster_rcnn.anchor_target_creator import AnchorTargetCreator
from renga_cv.links.model.faster_rcnn.box_coding import bbox2loc
from renga_cv.links.model.fpn.bbox_head_loss import bbox_head_loss_post, bbox_head_loss_pre
from renga_cv.links.model.fpn.mask_head_loss import mask_head_loss_post, mask_head_loss_pre
from renga_cv.links.model.fpn.misc import argsort, choice, image_weights, move_boxes, smooth_l1
from renga_cv.links.model.fpn.rpn_loss import rpn_loss
from renga_cv.utils.bbox import bbox_iou
from renga_testing.gradient_check import check_backward

SIZES = [(60, 64), (64, 40)]
BBOXES = [np.array([[4, 4, 20, 22], [30, 10, 50, 60]], np.float32), np.array([[20, 8, 50, 36]], np.float32)]
LABELS = [np.array([2, 0], np.int32), np.array([1], np.int32)]


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _smooth_l1(a: np.ndarray, beta: float) -> float:
    a = np.abs(a).astype(np.float64)
    return float(np.where(a < beta, a**2 / (2 * beta), a - beta / 2).sum())


def _anchors() -> list[np.ndarray]:
    rng = _rng()
    made = []
    for n in (40, 20):
        start, size = rng.uniform(-4, 40, (n, 2)), rng.uniform(8, 30, (n, 2))
        made.append(np.concatenate((start, start + size), axis=1).astype(np.float32))
    made[0][:2], made[1][0] = BBOXES[0], BBOXES[1]
    return made


def test_smooth_l1() -> None:
    x, t = _rng().normal(0, 2, (2, 5, 4))
    y = smooth_l1(x, t, 0.5)
    assert y.shape == (5, 4)
    np.testing.assert_allclose(float(y.array.sum()), _smooth_l1(x - t, 0.5))


def test_proposals_learn_from_all_candidates_if_there_are_few() -> None:
    rng, anchors = _rng(), _anchors()
    locs = [rng.normal(size=(2, len(a), 4)).astype(np.float32) for a in anchors]
    confs = [rng.normal(size=(2, len(a))).astype(np.float32) for a in anchors]
    loc_loss, conf_loss = rpn_loss([*map(Variable, locs)], [*map(Variable, confs)], anchors, SIZES, BBOXES)
    loc, conf, anchor = np.concatenate(locs, 1), np.concatenate(confs, 1).astype(float), np.concatenate(anchors)
    expected_loc, expected_conf = 0.0, 0.0
    for i, (size, bbox) in enumerate(zip(SIZES, BBOXES, strict=True)):
        gt_loc, label = AnchorTargetCreator(10**6)(bbox, anchor, size)
        assert (label == 1).any()
        assert (label == 0).sum() > 10
        n = (label >= 0).sum()
        expected_loc += _smooth_l1((loc[i] - gt_loc)[label == 1], 1 / 9) / n / 2
        expected_conf += np.logaddexp(0, np.where(label == 1, -conf[i], conf[i]))[label >= 0].sum() / n / 2
    np.testing.assert_allclose(float(loc_loss.array), expected_loc, rtol=1e-5)
    np.testing.assert_allclose(float(conf_loss.array), expected_conf, rtol=1e-5)


def test_gradients_of_the_proposals_loss() -> None:
    rng, anchors = _rng(), _anchors()
    arrays = [rng.normal(size=(2, len(a), *rest)) for rest in ((4,), ()) for a in anchors]

    def loss(*parts: Any) -> Any:
        return rpn_loss(parts[:2], parts[2:], [a.astype(float) for a in anchors], SIZES, BBOXES)

    check_backward(loss, tuple(arrays), (np.array(0.7), np.array(1.3)), dtype=np.float64, rtol=1e-4, atol=1e-4)


def _regions() -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = _rng()
    near = [np.repeat(bbox, 3, axis=0) + rng.normal(0, 1, (3 * len(bbox), 4)) for bbox in BBOXES]
    start, size = rng.uniform(0, 40, (20, 2)), rng.uniform(4, 20, (20, 2))
    rois = np.concatenate([*near, np.concatenate((start, start + size), axis=1)]).astype(np.float32)
    images = np.concatenate(([0] * 6, [1] * 3, rng.integers(0, 2, 20))).astype(np.int32)
    level = rng.integers(0, 3, len(rois))
    return [rois[level == k] for k in range(4)], [images[level == k] for k in range(4)]


def test_what_regions_are_to_learn() -> None:
    rois, images = _regions()
    out_rois, out_images, locs, labels = bbox_head_loss_pre(rois, images, (0.1, 0.2), BBOXES, LABELS)
    positive = 0
    for level in range(4):
        # There are fewer than wanted: all count, in their order.
        np.testing.assert_array_equal(out_rois[level], rois[level])
        np.testing.assert_array_equal(out_images[level], images[level])
        for roi, image, loc, label in zip(rois[level], images[level], locs[level], labels[level], strict=True):
            iou = bbox_iou(roi[None], BBOXES[image])[0]
            best = iou.argmax()
            assert label == (LABELS[image][best] + 1 if iou[best] >= 0.5 else 0)
            if label:
                positive += 1
                expected = bbox2loc(roi[None], BBOXES[image][[best]])[0] / [0.1, 0.1, 0.2, 0.2]
                np.testing.assert_allclose(loc, expected, rtol=1e-4, atol=1e-5)
    assert positive >= 6


def test_at_most_a_quarter_of_512_regions_is_positive() -> None:
    rois = [np.concatenate((np.repeat(BBOXES[1], 300, axis=0), np.full((900, 4), 1, np.float32) + [0, 0, 1, 1]))]
    rois = [rois[0].astype(np.float32)]
    images = [np.ones(1200, np.int32)]
    _, out_images, _, labels = bbox_head_loss_pre(rois, images, (0.1, 0.2), BBOXES, LABELS)
    assert (labels[0] > 0).sum() == 128
    assert (labels[0] == 0).sum() == 384
    assert (out_images[0] == 1).all()


def test_loss_of_the_head_and_its_gradient() -> None:
    rois, images = _regions()
    _, images, gt_locs, gt_labels = bbox_head_loss_pre(rois, images, (0.1, 0.2), BBOXES, LABELS)
    image, label, gt = np.concatenate(images), np.concatenate(gt_labels), np.concatenate(gt_locs)
    rng = _rng()
    locs, confs = rng.normal(size=(len(label), 4, 4)), rng.normal(size=(len(label), 4))
    loc_loss, conf_loss = bbox_head_loss_post(
        Variable(locs), Variable(confs), images, gt_locs_as(gt_locs), gt_labels, 2
    )
    expected_loc, expected_conf = 0.0, 0.0
    for i in range(2):
        rows = np.flatnonzero(image == i)
        for row in rows:
            if label[row]:
                expected_loc += _smooth_l1(locs[row, label[row]] - gt[row], 1) / len(rows) / 2
            expected_conf += (np.log(np.exp(confs[row]).sum()) - confs[row, label[row]]) / len(rows) / 2
    np.testing.assert_allclose(float(loc_loss.array), expected_loc, rtol=1e-5)
    np.testing.assert_allclose(float(conf_loss.array), expected_conf, rtol=1e-5)

    def loss(x: Any, y: Any) -> Any:
        return bbox_head_loss_post(x, y, images, gt_locs_as(gt_locs), gt_labels, 2)

    check_backward(loss, (locs, confs), (np.array(0.7), np.array(1.3)), dtype=np.float64, rtol=1e-4, atol=1e-4)


def gt_locs_as(gt_locs: list[np.ndarray]) -> list[np.ndarray]:
    return [loc.astype(np.float64) for loc in gt_locs]


def test_loss_of_masks() -> None:
    rois, images = _regions()
    masks = [_rng().uniform(size=(len(bbox), 64, 64)) > 0.5 for bbox in BBOXES]
    _, images, _, labels = bbox_head_loss_pre(rois, images, (0.1, 0.2), BBOXES, LABELS)
    mask_rois, mask_images, segms, mask_labels = mask_head_loss_pre(rois, images, masks, BBOXES, labels, 6)
    for level in range(4):
        positive = labels[level] > 0
        np.testing.assert_array_equal(mask_rois[level], rois[level][positive])
        np.testing.assert_array_equal(mask_images[level], images[level][positive])
        np.testing.assert_array_equal(mask_labels[level], labels[level][positive])
        assert segms[level].shape == (positive.sum(), 6, 6)
    image, label = np.concatenate(mask_images), np.concatenate(mask_labels)
    x = _rng().normal(size=(len(label), 4, 6, 6))
    loss = mask_head_loss_post(Variable(x), mask_images, segms, mask_labels, 2)
    own, answer = x[np.arange(len(label)), label], np.concatenate(segms) >= 0.5
    each = np.logaddexp(0, np.where(answer, -own, own))
    np.testing.assert_allclose(float(loss.array), sum(each[image == i].mean() for i in range(2)) / 2)
    check_backward(
        lambda x: mask_head_loss_post(x, mask_images, segms, mask_labels, 2), (x,), (np.array(1.0),), dtype=np.float64
    )


@pytest.mark.parametrize("size", [3, 9])
def test_choice_draws_each_element_once(size: int) -> None:
    drawn = choice(np.arange(5) * 10, size)
    assert len(set(drawn.tolist())) == len(drawn) == min(size, 5)
    assert set(drawn.tolist()) <= {0, 10, 20, 30, 40}


def test_small_helpers() -> None:
    np.testing.assert_array_equal(argsort(np.array([3.0, 1.0, 2.0])), [1, 2, 0])
    np.testing.assert_allclose(image_weights(np.array([3, 1, 3, 3]), 2), [1 / 6, 1 / 2, 1 / 6, 1 / 6])
    grown = move_boxes(np.array([[0.0, 0.0, 16.0, 16.0]]), np.array([[0.0, 0.0, 99.0, 0.0]]))
    np.testing.assert_allclose(grown, [[8 - 500, 0, 8 + 500, 16]])
