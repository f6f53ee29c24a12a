"""Masks that are rectangles, against what is right for boxes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_cv.evaluations.eval_detection_voc import eval_detection_voc
from renga_cv.evaluations.eval_instance_segmentation_voc import (
    calc_instance_segmentation_voc_prec_rec,
    eval_instance_segmentation_voc,
)

SIDE = 8


def boxes(rng, count):
    corner = rng.integers(0, SIDE - 4, (count, 2))
    return np.concatenate([corner, corner + rng.integers(0, 4, (count, 2))], axis=1)


def masks(bbox):
    """Of boxes whose last pixels belong to them."""
    mask = np.zeros((len(bbox), SIDE, SIDE), bool)
    for each, (y_min, x_min, y_max, x_max) in zip(mask, bbox, strict=True):
        each[y_min : y_max + 1, x_min : x_max + 1] = True
    return mask


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), use_07_metric=st.booleans(), thresh=st.sampled_from([0.3, 0.5, 0.7]))
def test_rectangles(seed, use_07_metric, thresh):
    rng = np.random.default_rng(seed)
    pred, gt = ([boxes(rng, rng.integers(0, 5)) for _ in range(3)] for _ in range(2))
    labels, gt_labels = ([rng.integers(0, 3, len(each)) for each in images] for images in (pred, gt))
    scores = [rng.integers(0, 4, len(each)) / 4 for each in pred]
    expected = eval_detection_voc(pred, labels, scores, gt, gt_labels, iou_thresh=thresh, use_07_metric=use_07_metric)
    found = eval_instance_segmentation_voc(
        [masks(each) for each in pred], labels, scores, map(masks, gt), gt_labels, thresh, use_07_metric
    )
    np.testing.assert_allclose(found["ap"], expected["ap"])
    np.testing.assert_allclose(found["map"], expected["map"])


def test_shapes_that_are_no_rectangles():
    cross = np.zeros((1, 3, 3), bool)
    cross[0, 1], cross[0, :, 1] = True, True
    full, zero, score = np.ones((1, 3, 3), bool), np.zeros(1, int), np.ones(1)
    for thresh, hits in ((5 / 9, 1), (0.6, 0)):
        prec, _ = calc_instance_segmentation_voc_prec_rec([full], [zero], [score], [cross], [zero], thresh)
        assert prec[0].tolist() == [hits]
