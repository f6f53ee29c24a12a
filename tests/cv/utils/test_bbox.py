import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from renga_core.graph import InvalidType
from renga_cv.utils.bbox import bbox_iou, non_maximum_suppression

boxes = hnp.arrays(np.float32, st.tuples(st.integers(0, 24), st.just(4)), elements=st.sampled_from(range(-2, 12)))


def iou_by_counting(a, b):
    """Of boxes with whole coordinates: count cells of a grid."""

    def cells(box):
        y, x = np.mgrid[-3:13, -3:13]
        return (y >= box[0]) & (x >= box[1]) & (y < box[2]) & (x < box[3])

    union = (cells(a) | cells(b)).sum()
    return (cells(a) & cells(b)).sum() / union if union else 0.0


def one_by_one(bbox, thresh, order):
    """Non-maximum suppression as it is defined."""
    kept = []
    for i in order:
        if all(iou_by_counting(bbox[i], bbox[j]) < thresh for j in kept):
            kept.append(i)
    return kept


@settings(max_examples=20, deadline=None)
@given(boxes, boxes)
def test_iou_counts_the_cells_of_a_grid(a, b):
    a, b = a[:8], b[:8]
    iou = bbox_iou(a, b)
    assert iou.shape == (len(a), len(b))
    assert iou.dtype == np.float32
    expected = np.array([[iou_by_counting(x, y) for y in b] for x in a]).reshape(iou.shape)
    np.testing.assert_allclose(iou, expected, rtol=1e-6)


@settings(max_examples=20, deadline=None)
@given(boxes, st.sampled_from([0.1, 0.3, 0.5, 0.7, 1.0]), st.randoms(use_true_random=False), st.booleans())
def test_what_remains_is_what_the_definition_says(bbox, thresh, random, scored):
    score = np.array([random.choice(range(50)) for _ in bbox], np.float32)
    # Of equal scores the later one comes first.
    order = sorted(range(len(bbox)), key=lambda i: (score[i], i), reverse=True) if scored else range(len(bbox))
    kept = non_maximum_suppression(bbox, thresh, score if scored else None)
    assert kept.dtype == np.int32
    assert kept.tolist() == one_by_one(bbox, thresh, order)
    for limit in (0, 1, 3):
        assert non_maximum_suppression(bbox, thresh, score if scored else None, limit).tolist() == kept[:limit].tolist()


def test_many_boxes_in_many_blocks():
    rng = np.random.default_rng(0)
    start = rng.uniform(0, 50, (700, 2))
    bbox = np.concatenate([start, start + rng.uniform(1, 20, (700, 2))], axis=1)
    iou = bbox_iou(bbox, bbox)
    for thresh in (0.2, 0.6):
        kept: list[int] = []
        for i in range(len(bbox)):
            if not (iou[i, kept] >= thresh).any():
                kept.append(i)
        assert non_maximum_suppression(bbox, thresh).tolist() == kept


def test_a_box_is_dropped_at_the_threshold_itself():
    bbox = np.array([[0, 0, 1, 2], [0, 0, 1, 1]], np.float32)
    assert non_maximum_suppression(bbox, 0.5).tolist() == [0]
    assert non_maximum_suppression(bbox, 0.50001).tolist() == [0, 1]


def test_boxes_of_integers_half_precision_and_no_boxes():
    assert bbox_iou(np.array([[0, 0, 2, 2]]), np.array([[0, 0, 2, 1]], np.int32)).tolist() == [[0.5]]
    assert non_maximum_suppression(np.array([[0, 0, 500, 500]] * 2, np.float16), 0.9).tolist() == [0]
    none = np.zeros((0, 4), np.float32)
    assert bbox_iou(none, none).shape == (0, 0)
    assert non_maximum_suppression(none, 0.5, np.zeros(0)).dtype == np.int32
    assert non_maximum_suppression(none, 0.5).shape == (0,)


def test_boxes_without_area_or_end():
    bbox = np.array([[1, 1, 1, 1], [1, 1, 1, 1], [5, 5, 2, 2], [-np.inf, 0, np.inf, 9]], np.float32)
    assert (bbox_iou(bbox[:3], bbox[:3]) == 0).all()
    assert non_maximum_suppression(bbox, 0.5).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("wrong", [np.zeros((3, 5)), np.zeros(4), [[0, 0, 1, 1]], np.zeros((1, 4), bool)])
def test_what_are_no_boxes_is_said(wrong):
    right = np.zeros((2, 4))
    for call in (lambda: bbox_iou(wrong, right), lambda: bbox_iou(right, wrong)):
        with pytest.raises(InvalidType, match=r"bbox_iou: bbox_.: expected"):
            call()
    with pytest.raises(InvalidType, match="non_maximum_suppression: bbox"):
        non_maximum_suppression(wrong, 0.5)
    with pytest.raises(InvalidType, match=r"score.*\(2,\).*\(3,\)"):
        non_maximum_suppression(right, 0.5, np.zeros(3))
