"""Default boxes and their coding, against the formulas of the paper and plain loops."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from renga_cv.links.model.ssd.multibox_coder import MultiboxCoder
from renga_cv.utils.bbox import bbox_iou

VARIANCE = (0.1, 0.2)
SMALL = {"grids": (3, 1), "aspect_ratios": ((2,), (2, 3)), "steps": (8, 24), "sizes": (6, 12, 20)}
SSD300 = {
    "grids": (38, 19, 10, 5, 3, 1),
    "aspect_ratios": ((2,), (2, 3), (2, 3), (2, 3), (2,), (2,)),
    "steps": (8, 16, 32, 64, 100, 300),
    "sizes": (30, 60, 111, 162, 213, 264, 315),
}


@pytest.fixture(scope="module")
def coder():
    return MultiboxCoder(**SMALL, variance=VARIANCE)


def decoded(coder, loc):
    """All boxes, each of a class of its own, so that nothing is suppressed."""
    confidence = np.full((len(loc), len(loc) + 1), -30, np.float32)
    confidence[np.arange(len(loc)), np.arange(len(loc)) + 1] = 30
    bbox, label, score = coder.decode(loc, confidence, 0.45, 0.5)
    assert_array_equal(label, np.arange(len(loc)))
    assert_allclose(score, 1, rtol=1e-6)
    return bbox


def test_default_boxes(coder):
    right = []
    for v in range(3):
        for u in range(3):
            for h, w in ((6, 6), (sqrt(72), sqrt(72)), (6 / sqrt(2), 6 * sqrt(2)), (6 * sqrt(2), 6 / sqrt(2))):
                right.append((8 * v + 4, 8 * u + 4, h, w))
    for r in (1, 240 / 144, 2, 3):
        for h, w in {1: [(12, 12)], 240 / 144: [(sqrt(240),) * 2]}.get(
            r, [(12 / sqrt(r), 12 * sqrt(r)), (12 * sqrt(r), 12 / sqrt(r))]
        ):
            right.append((12, 12, h, w))
    right = np.array(right)
    boxes = decoded(coder, np.zeros((42, 4), np.float32))
    assert_allclose((boxes[:, :2] + boxes[:, 2:]) / 2, right[:, :2], rtol=1e-6)
    assert_allclose(boxes[:, 2:] - boxes[:, :2], right[:, 2:], rtol=1e-6)


def test_as_many_default_boxes_as_in_the_paper():
    loc, label = MultiboxCoder(**SSD300, variance=VARIANCE).encode(np.zeros((0, 4)), np.zeros(0, np.int32))
    assert loc.shape == (8732, 4)
    assert label.shape == (8732,)
    assert not loc.any()
    assert not label.any()
    assert loc.dtype == np.float32
    assert label.dtype == np.int32


@st.composite
def objects(draw):
    n = draw(st.integers(1, 5))
    edges = st.floats(1, 23, width=32)
    low = np.array([[draw(edges), draw(edges)] for _ in range(n)], np.float32)
    size = np.array([[draw(edges), draw(edges)] for _ in range(n)], np.float32)
    return np.hstack([low, low + size]), np.arange(n, dtype=np.int32)


@given(objects())
@settings(max_examples=60, deadline=None)
def test_decoding_inverts_encoding(coder, boxes_and_labels):
    bbox, label = boxes_and_labels
    loc, conf = coder.encode(bbox, label)
    found = decoded(coder, loc)
    matched = conf > 0
    assert_allclose(found[matched], bbox[conf[matched] - 1], rtol=1e-4, atol=1e-4)
    assert not loc[~matched].any()


def matched_by_loops(iou, thresh):
    """The paper's two rules, pair by pair."""
    match = np.full(len(iou), -1)
    left = iou.copy()
    while left.max() > 1e-6:
        box, object_ = np.unravel_index(left.argmax(), left.shape)
        match[box] = object_
        left[box], left[:, object_] = 0, 0
    for box, row in enumerate(iou):
        if match[box] < 0 and row.max() >= thresh:
            match[box] = row.argmax()
    return match


@given(objects(), st.floats(0.2, 0.8))
@settings(max_examples=60, deadline=None)
def test_matching(coder, boxes_and_labels, thresh):
    bbox, label = boxes_and_labels
    default = decoded(coder, np.zeros((42, 4), np.float32))
    # In double precision, as the coder computes: in single precision pairs may be equal that are not.
    center, size = (default[:, :2] + default[:, 2:]) / 2, default[:, 2:] - default[:, :2]
    default = np.hstack([center, size]).astype(np.float64)
    exact = coder._default_bbox
    assert_allclose(default, exact, rtol=1e-6)
    corners = np.hstack([exact[:, :2] - exact[:, 2:] / 2, exact[:, :2] + exact[:, 2:] / 2])
    right = matched_by_loops(bbox_iou(corners, bbox.astype(np.float64)), thresh)
    _, conf = coder.encode(bbox, label, thresh)
    assert_array_equal(conf, np.where(right < 0, 0, label[right] + 1))


def test_each_object_has_a_box_of_its_own_however_small_the_overlap(coder):
    bbox = np.array([[0, 0, 3, 3], [0, 0, 3.2, 3], [20, 20, 23, 23]], np.float32)
    _, conf = coder.encode(bbox, np.array([4, 5, 6], np.int32))
    assert sorted(conf[conf > 0]) == [5, 6, 7]


def test_locations_are_offsets_divided_by_the_variance(coder):
    bbox = np.array([[5, 6, 11, 14]], np.float32)
    loc, conf = coder.encode(bbox, np.array([0], np.int32))
    default = coder._default_bbox
    for k in np.flatnonzero(conf):
        y, x, h, w = default[k]
        right = ((8 - y) / h / 0.1, (10 - x) / w / 0.1, np.log(6 / h) / 0.2, np.log(8 / w) / 0.2)
        assert_allclose(loc[k], right, rtol=1e-5, atol=1e-5)


def test_decoding_keeps_the_best_of_each_class_and_those_that_are_probable(coder):
    conf = np.zeros((42, 4))
    conf[:, 0] = 20
    conf[0, 1], conf[1, 1], conf[2, 2] = 23, 24, 19  # 0 and 1 are of one class, and of one place
    bbox, label, score = coder.decode(np.zeros((42, 4)), conf, 0.4, 0.2)
    assert_array_equal(label, [0, 1])
    assert_allclose(bbox, decoded(coder, np.zeros((42, 4), np.float32))[[1, 2]])
    probability = [np.exp(24) / (np.exp(24) + np.exp(20) + 2), np.exp(19) / (np.exp(19) + np.exp(20) + 2)]
    assert_allclose(score, probability, rtol=1e-6)
    bbox, label, score = coder.decode(np.zeros((42, 4)), conf, 0.4, 1.1)
    assert bbox.shape == (0, 4)
    assert label.shape == score.shape == (0,)
    assert (bbox.dtype, label.dtype, score.dtype) == (np.float32, np.int32, np.float32)


def test_lengths_must_fit():
    with pytest.raises(ValueError, match="one size more"):
        MultiboxCoder(**{**SMALL, "sizes": (6, 12)}, variance=VARIANCE)
