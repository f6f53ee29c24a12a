"""VOC's average precision against its definition written out in loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_cv.evaluations.eval_detection_voc import (
    calc_detection_voc_ap,
    calc_detection_voc_prec_rec,
    eval_detection_voc,
)

SIDE = 12


def draw_case(seed):
    """Images with few pixels, so that boxes overlap; few different scores, so that many are equal."""
    rng = np.random.default_rng(seed)
    classes = rng.choice(9, size=rng.integers(1, 7), replace=False)
    images = []
    for _ in range(rng.integers(0, 5)):
        gt, pred = draw_boxes(rng, rng.integers(0, 6)), draw_boxes(rng, rng.integers(0, 5))
        near = gt[rng.random(len(gt)) < 0.7]
        pred = np.concatenate([pred, near + rng.integers(0, 2, near.shape)]).astype(np.float32)
        images.append(
            (
                pred,
                rng.choice(classes, len(pred)).astype(np.int32),
                rng.choice([0.1, 0.4, 0.6, 0.9], len(pred)).astype(np.float32),
                gt,
                rng.choice(classes, len(gt)).astype(np.int32),
                rng.random(len(gt)) < 0.3,
            )
        )
    return [list(each) for each in zip(*images, strict=True)] or [[] for _ in range(6)]


def draw_boxes(rng, count):
    corner = rng.integers(0, SIDE, (count, 2))
    return np.concatenate([corner, corner + rng.integers(0, 5, (count, 2))], axis=1).astype(np.float32)


def iou(a, b):
    """Of two boxes whose last pixels belong to them."""
    a, b = [float(x) for x in a], [float(x) for x in b]
    height = max(0.0, min(a[2], b[2]) + 1 - max(a[0], b[0]))
    width = max(0.0, min(a[3], b[3]) + 1 - max(a[1], b[1]))

    def area(c):
        return (c[2] - c[0] + 1) * (c[3] - c[1] + 1)

    return height * width / (area(a) + area(b) - height * width)


def average_precision(case, label, thresh, use_07_metric):
    """Of one class; None where there is no object of it. All predictions in one list, over all images."""
    pred_bboxes, pred_labels, pred_scores, gt_bboxes, gt_labels, gt_difficults = case
    total = sum(
        1 for i in range(len(gt_labels)) for g in range(len(gt_labels[i])) if gt_labels[i][g] == label
        and not gt_difficults[i][g]
    )  # fmt: skip
    if total == 0:
        return None
    predictions = [
        (pred_scores[i][p], i, p)
        for i in range(len(pred_labels))
        for p in range(len(pred_labels[i]))
        if pred_labels[i][p] == label
    ]
    predictions.sort(key=lambda found: -found[0])
    hit_objects, hits, counted, curve = set(), 0, 0, []
    for _, i, p in predictions:
        best, best_iou = None, -1.0
        for g in range(len(gt_labels[i])):
            if gt_labels[i][g] == label and iou(pred_bboxes[i][p], gt_bboxes[i][g]) > best_iou:
                best, best_iou = g, iou(pred_bboxes[i][p], gt_bboxes[i][g])
        found = best is not None and best_iou >= thresh
        if found and gt_difficults[i][best]:
            continue
        counted += 1
        if found and (i, best) not in hit_objects:
            hit_objects.add((i, best))
            hits += 1
        curve.append((hits / total, hits / counted))
    if use_07_metric:
        return sum(max([p for r, p in curve if r >= 0.1 * k], default=0.0) for k in range(11)) / 11
    steps = sorted({r for r, _ in curve})
    return sum(
        (r - before) * max(p for r2, p in curve if r2 >= r) for before, r in zip([0.0, *steps], steps, strict=False)
    )


def differs_from_the_definition(seed):
    case = draw_case(seed)
    thresh = [0.3, 0.5, 0.75][seed % 3]
    use_07_metric = seed % 2 == 0
    found = eval_detection_voc(*case, iou_thresh=thresh, use_07_metric=use_07_metric)
    seen = [int(label) for each in (*case[1], *case[4]) for label in each]
    expected = [average_precision(case, label, thresh, use_07_metric) for label in range(max(seen, default=-1) + 1)]
    known = [ap for ap in expected if ap is not None]
    same = np.allclose(found["ap"], [np.nan if ap is None else ap for ap in expected], atol=1e-12, equal_nan=True)
    mean = sum(known) / len(known) if known else np.nan
    return not (same and np.allclose(found["map"], mean, atol=1e-12, equal_nan=True))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_is_what_the_definition_says(seed):
    assert not differs_from_the_definition(seed)


def test_without_difficult_and_by_generators():
    case = draw_case(5)
    none = [np.zeros(len(label), bool) for label in case[4]]
    expected = eval_detection_voc(*case[:5], none)
    found = eval_detection_voc(*(iter(each) for each in case[:5]))
    np.testing.assert_array_equal(found["ap"], expected["ap"])


def test_precision_and_recall():
    """By hand: a hit, a second hit of one object, a miss, an object missed; class 1 absent; class 2 only predicted."""
    box, other, far = [0, 0, 9, 9], [0, 0, 9, 8], [20, 20, 29, 29]
    pred = [np.array([box, other, far, far]), np.zeros((0, 4))]
    labels, scores = [np.array([0, 0, 0, 2]), np.zeros(0, int)], [np.array([0.9, 0.8, 0.7, 0.6]), np.zeros(0)]
    gt, gt_labels = [np.array([box]), np.array([far])], [np.array([0]), np.array([0])]
    prec, rec = calc_detection_voc_prec_rec(pred, labels, scores, gt, gt_labels)
    np.testing.assert_allclose(prec[0], [1, 1 / 2, 1 / 3])
    np.testing.assert_allclose(rec[0], [1 / 2, 1 / 2, 1 / 2])
    assert (prec[1], rec[1], rec[2]) == (None, None, None)
    np.testing.assert_array_equal(prec[2], [0])
    np.testing.assert_allclose(calc_detection_voc_ap(prec, rec), [0.5, np.nan, np.nan])
    np.testing.assert_allclose(calc_detection_voc_ap(prec, rec, True), [6 / 11, np.nan, np.nan])


def test_what_is_difficult_counts_neither_way():
    box = np.array([[0, 0, 9, 9]], float)
    arguments = [[box]] + [[np.zeros(1, int)]] + [[np.ones(1)]] + [[box]] + [[np.zeros(1, int)]]
    prec, rec = calc_detection_voc_prec_rec(*arguments, [np.array([True])])
    assert np.isnan(prec[0]).all()
    assert rec[0] is None
    found = eval_detection_voc(*arguments, [np.array([True])])
    assert np.isnan(found["ap"]).all()
    assert np.isnan(found["map"])


BOX = np.zeros((1, 4))
ONE = np.zeros(1, int)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([BOX], [ONE], [ONE], [BOX, BOX], [ONE, ONE]), "gt_bboxes, gt_labels: more; each must"),
        (([BOX, BOX], [ONE], [ONE], [BOX], [ONE]), "pred_labels, .*: 1 images, pred_bboxes: more; each must"),
        (([BOX], [np.zeros(2, int)], [ONE], [BOX], [ONE]), r"pred_labels of image 0: shape \(2,\); expected \(1,\)"),
        (([BOX], [ONE], [np.array([np.nan])], [BOX], [ONE]), "pred_scores of image 0"),
        (([BOX], [ONE], [ONE], [BOX], [np.array([-1])]), "gt_labels of image 0"),
        (([BOX], [ONE], [ONE], [BOX], [ONE], [np.zeros(2, bool)]), "gt_difficults of image 0"),
    ],
)
def test_what_does_not_belong_together(arguments, said):
    with pytest.raises(ValueError, match=said):
        eval_detection_voc(*arguments)
