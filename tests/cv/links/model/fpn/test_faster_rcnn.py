"""The detector as a whole: what it predicts, and that it learns."""

from __future__ import annotations

import math

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import no_backprop_mode
from renga_cv.links.model.fpn.bbox_head_loss import bbox_head_loss_post, bbox_head_loss_pre
from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN
from renga_cv.links.model.fpn.feature_pyramid import FPN
from renga_cv.links.model.fpn.mask_head_loss import mask_head_loss_post, mask_head_loss_pre
from renga_cv.links.model.fpn.rpn import RPN
from renga_cv.links.model.fpn.rpn_loss import rpn_loss
from renga_cv.utils.bbox import bbox_iou
from renga_optimizers.momentum_sgd import MomentumSGD
from renga_serializers.npz import load_npz, save_npz

pytest.importorskip("PIL")


def _images() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.uniform(0, 255, (3, *size)).astype(np.float32) for size in ((40, 50), (32, 60))]


def test_images_are_scaled_and_padded(model: FasterRCNN) -> None:
    x, scales = model.prepare(_images())
    assert scales == [64 / 40, 96 / 60]
    assert x.shape == (2, 3, 64, 96)
    assert not x[0, :, :, 80:].any()
    assert not x[1, :, 51:].any()
    constant, _ = model.prepare([np.full((3, 64, 64), 130, np.float32)])
    np.testing.assert_allclose(constant, 30)


def test_predictions_have_the_form_promised(model: FasterRCNN) -> None:
    model.use_preset("evaluate")
    model.score_thresh = 0.27
    images = _images()
    found = dict(zip(["masks", "labels", "scores", "bboxes", "rois"], model.predict(images), strict=True))
    for i, img in enumerate(images):
        n, (height, width) = len(found["labels"][i]), img.shape[1:]
        bbox, label, score = found["bboxes"][i], found["labels"][i], found["scores"][i]
        assert n > 0
        assert bbox.shape == (n, 4)
        assert bbox.dtype == np.float32
        assert (bbox >= 0).all()
        assert (bbox <= [height, width, height, width]).all()
        assert (found["rois"][i] >= 0).all()
        assert (found["rois"][i] <= [height, width, height, width]).all()
        assert label.dtype == np.int32
        assert set(label) <= {0, 1, 2}
        assert score.dtype == np.float32
        assert (score >= 0.27).all()
        assert found["masks"][i].shape == (n, height, width)
        assert found["masks"][i].dtype == bool
        for number in range(3):
            of_class = bbox[label == number]
            assert (np.triu(bbox_iou(of_class, of_class), 1) < 0.5).all()
            assert (np.diff(score[label == number]) <= 0).all()


def test_a_batch_is_predicted_as_its_images_alone(model: FasterRCNN) -> None:
    model.score_thresh = 0.27
    rng = np.random.default_rng(1)
    images = [rng.uniform(0, 255, (3, 40, 50)).astype(np.float32) for _ in range(2)]
    together = model.predict(images)
    for i, img in enumerate(images):
        for value, alone in zip(together, model.predict([img]), strict=True):
            np.testing.assert_allclose(value[i], alone[0], rtol=1e-3, atol=1e-3)


def test_no_objects_and_no_images(model: FasterRCNN) -> None:
    model.score_thresh = 1.1
    masks, labels, scores, bboxes, rois = model.predict(_images()[:1])
    assert masks[0].shape == (0, 40, 50)
    assert labels[0].shape == scores[0].shape == (0,)
    assert bboxes[0].shape == (0, 4)
    assert len(rois[0]) > 0
    assert model.predict([]) == ([], [], [], [], [])
    model.use_preset("visualize")
    assert (model.nms_thresh, model.score_thresh) == (0.5, 0.7)
    with pytest.raises(ValueError, match="visualise"):
        model.use_preset("visualise")


def test_heads_that_are_not_needed_are_no_part(model: FasterRCNN) -> None:
    parts = model.extractor, model.rpn, model.bbox_head, model.mask_head
    assert {child.name for child in FasterRCNN(*parts, ["rois"]).children()} == {"extractor", "rpn"}
    assert {child.name for child in FasterRCNN(*parts, ["scores"]).children()} == {"extractor", "rpn", "bbox_head"}
    assert FasterRCNN(*parts, ["rois"]).mask_head is None
    with pytest.raises(ValueError, match="mask_head"):
        FasterRCNN(*parts[:3], None, ["masks"])
    with pytest.raises(ValueError, match="'boxes'"):
        FasterRCNN(*parts, ["boxes"])


def test_pyramid_adds_coarse_features_to_fine_ones(model: FasterRCNN) -> None:
    x = np.random.default_rng(2).normal(size=(1, 3, 64, 64)).astype(np.float32)
    fpn = model.extractor
    assert isinstance(fpn, FPN)
    with no_backprop_mode():
        hs = [h.array for h in fpn(x)]
        features = [inner(h).array for inner, h in zip(fpn.inner, fpn.base(x), strict=True)]
        for level in (2, 1, 0):
            features[level] = features[level] + features[level + 1].repeat(2, axis=2).repeat(2, axis=3)
        expected = [outer(h).array for outer, h in zip(fpn.outer, features, strict=True)]
    for h, value in zip(hs, [*expected, expected[3][:, :, ::2, ::2]], strict=True):
        np.testing.assert_allclose(h, value, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(fpn.mean, fpn.base.mean)


def test_anchors_against_formulas() -> None:
    rpn = RPN((1 / 4, 1 / 32))
    fine, coarse = rpn.anchors([(2, 3), (1, 1)])
    assert fine.shape == (2 * 3 * 3, 4)
    assert fine.dtype == np.float32
    for stride, size, anchors, width in ((4, 32, fine, 3), (32, 64, coarse, 1)):
        for number, anchor in enumerate(anchors):
            place, ratio = divmod(number, 3)
            y, x = divmod(place, width)
            w = np.round(stride / math.sqrt((0.5, 1, 2)[ratio]))
            h = np.round(w * (0.5, 1, 2)[ratio])
            height, wide = h * size / stride, w * size / stride
            cy, cx = (y + 0.5) * stride, (x + 0.5) * stride
            np.testing.assert_allclose(anchor, [cy - height / 2, cx - wide / 2, cy + height / 2, cx + wide / 2])


def test_it_learns_to_find_and_mask_a_square(untrained: FasterRCNN) -> None:
    model = untrained
    rng = np.random.default_rng(3)
    x = rng.normal(0, 0.1, (2, 3, 64, 64)).astype(np.float32)
    bboxes = [np.array([[8, 8, 40, 40]], np.float32), np.array([[20, 24, 60, 56], [0, 0, 16, 16]], np.float32)]
    labels = [np.array([1], np.int32), np.array([2, 0], np.int32)]
    masks = [np.zeros((len(bbox), 64, 64), bool) for bbox in bboxes]
    for i, (bbox, mask) in enumerate(zip(bboxes, masks, strict=True)):
        for box, one in zip(bbox.astype(int), mask, strict=True):
            x[i, :, box[0] : box[2], box[1] : box[3]] += 1
            one[box[0] : box[2], box[1] : box[3]] = True
    optimizer = MomentumSGD(lr=0.01, momentum=0.9)
    optimizer.setup(model)
    losses = []
    with using_config("train", True):
        for _ in range(6):
            hs = model.extractor(x)
            rpn_locs, rpn_confs = model.rpn(hs)
            anchors = model.rpn.anchors([h.shape[2:] for h in hs])
            of_rpn = rpn_loss(rpn_locs, rpn_confs, anchors, [(64, 64)] * 2, bboxes)
            rois, roi_indices = model.rpn.decode(rpn_locs, rpn_confs, anchors, x.shape)
            rois = np.concatenate([rois, *bboxes])
            roi_indices = np.concatenate([roi_indices, np.array([0, 1, 1], np.int32)])
            rois, roi_indices = model.bbox_head.distribute(rois, roi_indices)
            rois, roi_indices, gt_locs, gt_labels = bbox_head_loss_pre(
                rois, roi_indices, model.bbox_head.std, bboxes, labels
            )
            locs, confs = model.bbox_head(hs, rois, roi_indices)
            of_head = bbox_head_loss_post(locs, confs, roi_indices, gt_locs, gt_labels, 2)
            mask_rois, mask_indices, gt_segms, mask_labels = mask_head_loss_pre(
                rois, roi_indices, masks, bboxes, gt_labels, model.mask_head.segm_size
            )
            segms = model.mask_head(hs, mask_rois, mask_indices)
            of_mask = mask_head_loss_post(segms, mask_indices, gt_segms, mask_labels, 2)
            loss = sum([*of_rpn, *of_head], of_mask)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            losses.append([float(part.array) for part in (*of_rpn, *of_head, of_mask)])
    assert np.isfinite(losses).all()
    assert np.sum(losses[-1]) < 0.85 * np.sum(losses[0])
    assert losses[-1][4] < 0.8 * losses[0][4]


def test_saved_and_loaded(model: FasterRCNN, tmp_path: object) -> None:
    path = f"{tmp_path}/model.npz"
    save_npz(path, model.rpn)
    other = RPN((1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64))
    load_npz(path, other)
    np.testing.assert_array_equal(other.conf.W.array, model.rpn.conf.W.array)
