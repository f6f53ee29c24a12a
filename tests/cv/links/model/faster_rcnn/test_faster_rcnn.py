"""The detector as a whole, on a small network: what it predicts, its loss, and that it learns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from renga_core import random
from renga_core.configuration import using_config
from renga_core.link import Chain
from renga_core.reporter import Reporter
from renga_cv.links.model.faster_rcnn.faster_rcnn import FasterRCNN
from renga_cv.links.model.faster_rcnn.faster_rcnn_vgg import VGG16RoIHead
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork
from renga_cv.links.model.faster_rcnn.scaling import scale_img
from renga_cv.links.model.faster_rcnn.train_chain import FasterRCNNTrainChain, loc_loss
from renga_cv.utils.bbox import bbox_iou
from renga_nn.functions.activation import relu
from renga_nn.functions.pooling import roi_max_pooling_2d
from renga_nn.links.convolution_2d import Convolution2D
from renga_nn.links.linear import Linear
from renga_optimizers.momentum_sgd import MomentumSGD
from renga_testing.gradient_check import check_backward

pytest.importorskip("PIL")


class Head(Chain):
    """Three classes with the background."""

    n_class = 3

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.fc = Linear(8 * 9, 16)
            self.cls_loc = Linear(16, 12)
            self.score = Linear(16, 3)

    def forward(self, x: Any, rois: Any, roi_indices: Any) -> tuple[Any, Any]:
        h = relu(self.fc(roi_max_pooling_2d(x, rois, roi_indices, 3, 1 / 16)))
        return self.cls_loc(h), self.score(h)


class Extractor(Chain):
    """A sixteenth of the size of the image."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv = Convolution2D(3, 8, 16, 16)

    def forward(self, x: Any) -> Any:
        return relu(self.conv(x))


@pytest.fixture
def model() -> FasterRCNN:
    random.seed(0)
    rpn = RegionProposalNetwork(
        8,
        8,
        anchor_scales=[1, 2, 4],
        proposal_creator_params={"min_size": 8, "n_test_post_nms": 20, "n_train_post_nms": 50},
    )
    mean = np.array([100, 110, 120], np.float32).reshape(3, 1, 1)
    return FasterRCNN(Extractor(), rpn, Head(), mean, min_size=96, max_size=128)


@pytest.mark.parametrize(("size", "expected"), [((48, 50), (96, 100)), ((30, 60), (64, 128)), ((333, 333), (96, 96))])
def test_scale(size: tuple[int, int], expected: tuple[int, int]) -> None:
    img, scale = scale_img(np.zeros((3, *size), np.float32), 96, 128)
    assert img.shape == (3, *expected)
    np.testing.assert_allclose(scale, expected[0] / size[0])


def test_images_are_scaled_and_lose_the_mean(model: FasterRCNN) -> None:
    x = model.prepare(np.full((3, 48, 50), 130, np.float32))
    assert x.dtype == np.float32
    np.testing.assert_allclose(x[:, 5, 7], [30, 20, 10], rtol=1e-6)


def test_predictions_have_the_form_promised(model: FasterRCNN) -> None:
    model.score_thresh = 0.3
    rng = np.random.default_rng(0)
    images = [rng.uniform(0, 255, (3, *size)).astype(np.float32) for size in ((48, 64), (60, 52))]
    bboxes, labels, scores = model.predict(images)
    assert sum(map(len, labels)) > 0
    for img, bbox, label, score in zip(images, bboxes, labels, scores, strict=True):
        height, width = img.shape[1:]
        assert bbox.shape == (len(label), 4)
        assert bbox.dtype == score.dtype == np.float32
        assert label.dtype == np.int32
        assert (bbox >= 0).all()
        assert (bbox <= [height, width, height, width]).all()
        assert (score > 0.3).all()
        for number in range(2):
            of_class = bbox[label == number]
            assert (np.triu(bbox_iou(of_class, of_class), 1) < 0.3).all()
            assert (np.diff(score[label == number]) <= 0).all()


def test_a_region_is_moved_as_the_head_says(model: FasterRCNN) -> None:
    """With all else 0, an object is found at each region, moved by the constant move of its class."""
    for param in model.head.params():
        param.array[...] = 0
    model.head.score.b.array[...] = [0, 0, 9]
    model.head.cls_loc.b.array[8:] = [1, 0, 0, 0]
    x = np.random.default_rng(0).uniform(0, 255, (3, 96, 96)).astype(np.float32)
    with using_config("train", False):
        _, _, rois, _ = model(model.prepare(x)[None])
    expected = rois + (rois[:, 2:3] - rois[:, :1]) * np.float32([0.1, 0, 0.1, 0])
    bboxes, labels, scores = model.predict([x])
    assert (labels[0] == 1).all()
    np.testing.assert_allclose(scores[0], 1 / (1 + 2 * np.exp(-9)), rtol=1e-5)
    distance = np.abs(bboxes[0][:, None] - expected.clip(0, 96)).max(axis=2).min(axis=1)
    assert (distance < 1e-3).all()


def test_nothing_found(model: FasterRCNN) -> None:
    model.score_thresh = 1
    bboxes, labels, scores = model.predict([np.zeros((3, 50, 60), np.float32)])
    assert bboxes[0].shape == (0, 4)
    assert labels[0].shape == scores[0].shape == (0,)


def test_presets(model: FasterRCNN) -> None:
    assert (model.nms_thresh, model.score_thresh) == (0.3, 0.7)
    model.use_preset("evaluate")
    assert (model.nms_thresh, model.score_thresh) == (0.3, 0.05)
    with pytest.raises(ValueError, match="visualize"):
        model.use_preset("best")


def test_loss_of_moves() -> None:
    rng = np.random.default_rng(0)
    loc, target = rng.normal(size=(2, 6, 4))
    label = np.array([1, 0, -1, 3, 0, 0], np.int32)
    a = np.abs(loc - target)[[0, 3]]
    expected = np.where(a < 1 / 9, 9 * a**2 / 2, a - 1 / 18).sum() / 5
    np.testing.assert_allclose(float(loc_loss(loc, target, label, 3.0).array), expected)
    check_backward(lambda x: loc_loss(x, target, label, 3.0), (loc,), (np.array(1.0),), dtype=np.float64)
    assert float(loc_loss(loc, target, np.full(6, -1), 3.0).array) == 0


def test_it_learns(model: FasterRCNN) -> None:
    chain = FasterRCNNTrainChain(model)
    optimizer = MomentumSGD(lr=0.01, momentum=0.9)
    optimizer.setup(chain)
    x = np.random.default_rng(1).normal(0, 0.1, (1, 3, 96, 112)).astype(np.float32)
    x[:, :, 16:64, 32:80] += 1
    bboxes, labels = np.array([[[16, 32, 64, 80]]], np.float32), np.array([[1]], np.int32)
    reporter, losses = Reporter(), []
    reporter.add_observer("main", chain)
    for _ in range(25):
        observation: dict[str, Any] = {}
        with reporter.scope(observation):
            loss = chain(x, bboxes, labels, np.array([1.0], np.float32))
        parts = [
            observation[f"main/{name}"].array
            for name in ("rpn_loc_loss", "rpn_cls_loss", "roi_loc_loss", "roi_cls_loss")
        ]
        np.testing.assert_allclose(loss.array, sum(parts), rtol=1e-5)
        np.testing.assert_array_equal(observation["main/loss"].array, loss.array)
        chain.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.array))
    assert np.mean(losses[-5:]) < 0.6 * losses[0]
    with pytest.raises(ValueError, match="one image"):
        chain(np.concatenate([x, x]), bboxes, labels, [1.0, 1.0])


def test_head_of_vgg() -> None:
    head = VGG16RoIHead(3, 1, 1 / 16, *[0.01] * 3)
    x = np.random.default_rng(0).normal(size=(2, 512, 4, 5)).astype(np.float32)
    locs, scores = head(x, np.array([[0, 0, 40, 30]], np.float32), np.array([1], np.int32))
    # From pixel 0 to pixel 40 / 16 = 2.5, rounded to 3, and 30 / 16, rounded to 2.
    h = relu(head.fc7(relu(head.fc6(x[1, :, :4, :3].max(axis=(1, 2))[None]))))
    np.testing.assert_allclose(locs.array, head.cls_loc(h).array, rtol=1e-4)
    np.testing.assert_allclose(scores.array, head.score(h).array, rtol=1e-4)
    assert locs.shape == (1, 12)
