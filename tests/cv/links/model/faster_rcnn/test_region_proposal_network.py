"""Anchors against formulas, and proposals against a plain reference."""

from __future__ import annotations

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_cv.links.model.faster_rcnn.anchors import generate_anchor_base, shifted_anchors
from renga_cv.links.model.faster_rcnn.box_coding import loc2bbox
from renga_cv.links.model.faster_rcnn.proposal_creator import ProposalCreator
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork


def test_anchors_of_a_place_have_the_area_and_ratio_asked_for() -> None:
    ratios, scales = [0.5, 1, 2], [8, 16, 32]
    base = generate_anchor_base(16, ratios, scales)
    assert base.shape == (9, 4)
    assert base.dtype == np.float32
    np.testing.assert_allclose((base[:, :2] + base[:, 2:]) / 2, np.full((9, 2), 8))
    height, width = (base[:, 2:] - base[:, :2]).T
    np.testing.assert_allclose(height / width, np.repeat(ratios, 3), rtol=1e-5)
    np.testing.assert_allclose(height * width, np.tile((16 * np.array(scales)) ** 2, 3), rtol=1e-5)


def test_anchors_go_row_by_row() -> None:
    base = generate_anchor_base(ratios=[1], anchor_scales=[1, 2])
    anchors = shifted_anchors(base, 10, 2, 3).reshape(2, 3, 2, 4)
    np.testing.assert_array_equal(anchors[1, 2, 1], base[1] + [10, 20, 10, 20])
    np.testing.assert_array_equal(anchors[0, 2, 0], base[0] + [0, 20, 0, 20])


def _plain_proposals(
    loc: np.ndarray, score: np.ndarray, anchor: np.ndarray, size: tuple[int, int], smallest: float, before: int
) -> np.ndarray:
    """One box after the other, best first."""
    boxes = loc2bbox(anchor, loc)
    boxes[:, 0::2] = boxes[:, 0::2].clip(0, size[0])
    boxes[:, 1::2] = boxes[:, 1::2].clip(0, size[1])
    kept: list[np.ndarray] = []
    order = [i for i in np.argsort(-score) if (boxes[i, 2:] - boxes[i, :2]).min() >= smallest]
    for i in order[:before]:
        y1, x1, y2, x2 = boxes[i]
        for other in kept:
            height = max(0, min(y2, other[2]) - max(y1, other[0]))
            width = max(0, min(x2, other[3]) - max(x1, other[1]))
            area = (y2 - y1) * (x2 - x1) + (other[2] - other[0]) * (other[3] - other[1]) - height * width
            if height * width / area >= 0.7:
                break
        else:
            kept.append(boxes[i])
    return np.array(kept)


@pytest.mark.parametrize("train", [True, False])
def test_proposals(train: bool) -> None:
    rng = np.random.default_rng(0)
    anchor = shifted_anchors(generate_anchor_base(anchor_scales=[1, 2]), 16, 6, 5)
    loc = rng.normal(0, 0.5, anchor.shape).astype(np.float32)
    score = rng.normal(size=len(anchor)).astype(np.float32)
    creator = ProposalCreator(n_train_pre_nms=100, n_train_post_nms=0, n_test_pre_nms=90, n_test_post_nms=20)
    with using_config("train", train):
        roi = creator(loc, score, anchor, (90, 80), scale=0.75)
    expected = _plain_proposals(loc, score, anchor, (90, 80), 16 * 0.75, 100 if train else 90)
    assert len(expected) > 20
    assert roi.dtype == np.float32
    np.testing.assert_allclose(roi, expected if train else expected[:20], rtol=1e-6)


def test_network() -> None:
    rng = np.random.default_rng(1)
    network = RegionProposalNetwork(
        4, 8, anchor_scales=[1, 2], proposal_creator_params={"min_size": 4, "n_test_post_nms": 7}
    )
    x = rng.normal(size=(2, 4, 3, 5)).astype(np.float32)
    with using_config("train", False):
        locs, scores, rois, indices, anchor = network(x, (48, 80), [1.0, 2.0])
    assert locs.shape == (2, 3 * 5 * 6, 4)
    assert scores.shape == (2, 3 * 5 * 6, 2)
    assert anchor.shape == (3 * 5 * 6, 4)
    # The values of an anchor lie together: anchor a of place (y, x) takes channels 4 a to 4 a + 3.
    h = np.maximum(network.conv1(x).array, 0)
    np.testing.assert_allclose(
        locs.array.reshape(2, 3, 5, 6, 4)[1, 2, 4, 3], network.loc(h).array[1, 12:16, 2, 4], rtol=1e-5
    )
    np.testing.assert_allclose(
        scores.array.reshape(2, 3, 5, 6, 2)[1, 2, 4, 3], network.score(h).array[1, 6:8, 2, 4], rtol=1e-5
    )
    with using_config("train", False):
        for i, scale in enumerate((1.0, 2.0)):
            expected = network.proposal_layer(locs.array[i], scores.array[i, :, 1], anchor, (48, 80), scale)
            np.testing.assert_array_equal(rois[indices == i], expected)
    assert indices.dtype == np.int32
    assert (np.diff(indices) >= 0).all()
