"""What regions are to learn."""

import numpy as np

from renga_cv.links.model.faster_rcnn.box_coding import loc2bbox
from renga_cv.links.model.fcis.proposal_target_creator import ProposalTargetCreator
from renga_cv.utils.bbox import bbox_iou

STD = (0.2, 0.2, 0.5, 0.5)


def scene():
    """Two instances: the left half of a box, and the whole of another."""
    bbox = np.array([[4, 6, 24, 26], [30, 10, 44, 40]], np.float32)
    mask = np.zeros((2, 50, 60), bool)
    mask[0, 4:24, 6:16] = True
    mask[1, 30:44, 10:40] = True
    return mask, np.array([3, 0], np.int32), bbox


def test_targets():
    mask, label, bbox = scene()
    rng = np.random.default_rng(0)
    corner = rng.uniform(0, 30, (200, 2))
    roi = np.concatenate([corner, corner + rng.uniform(5, 25, (200, 2))], axis=1).astype(np.float32)
    roi = np.concatenate([roi, bbox[[0]] + np.float32([0, 0, 2, 0])])
    creator = ProposalTargetCreator(n_sample=32, pos_ratio=0.25)
    sample, gt_mask, gt_label, gt_loc = creator(roi, mask, label, bbox, mask_size=(6, 8))
    assert (sample.shape, gt_mask.shape, gt_label.shape, gt_loc.shape) == ((32, 4), (32, 6, 8), (32,), (32, 4))
    assert (gt_mask.dtype, gt_label.dtype, gt_loc.dtype) == (np.int32, np.int32, np.float32)
    iou = bbox_iou(sample, bbox)
    n = int((gt_label > 0).sum())
    assert 2 <= n <= 8
    assert (iou[:n].max(axis=1) >= 0.5).all()
    assert ((iou[n:].max(axis=1) < 0.5) & (iou[n:].max(axis=1) >= 0.1)).all()
    assert (gt_mask[n:] == -1).all()
    assert np.isin(gt_mask[:n], (0, 1)).all()
    assert np.array_equal(gt_label[:n], label[iou[:n].argmax(axis=1)] + 1)
    moved = loc2bbox(sample, gt_loc * np.float32(STD))
    np.testing.assert_allclose(moved, bbox[iou.argmax(axis=1)], atol=1e-3)


def test_masks_are_those_of_the_regions():
    mask, label, bbox = scene()
    sample, gt_mask, gt_label, _ = ProposalTargetCreator(n_sample=8)(np.zeros((0, 4), np.float32), mask, label, bbox)
    assert gt_mask.shape == (2, 21, 21)
    of_label = {int(number): found for number, found in zip(gt_label, gt_mask, strict=True)}
    assert (of_label[1] == 1).all()
    # 10 of 20 columns, as 21: the one in the middle is half inside.
    assert (of_label[4][:, :11] == 1).all()
    assert (of_label[4][:, 11:] == 0).all()
    assert sorted(sample.tolist()) == sorted(bbox.tolist())


def test_no_instances():
    roi = np.array([[0, 0, 9, 9], [3, 3, 20, 9]], np.float32)
    creator = ProposalTargetCreator(neg_iou_thresh_lo=0.0)
    sample, gt_mask, gt_label, gt_loc = creator(
        roi, np.zeros((0, 30, 30), bool), np.zeros(0, np.int32), np.zeros((0, 4), np.float32)
    )
    assert sample.tolist() == roi.tolist()
    assert (gt_mask == -1).all()
    assert not gt_label.any()
    assert not gt_loc.any()
