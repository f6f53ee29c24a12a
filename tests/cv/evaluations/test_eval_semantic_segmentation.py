"""Confusion and what follows from it, against sets of pixels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_cv.evaluations.eval_semantic_segmentation import (
    calc_semantic_segmentation_confusion,
    calc_semantic_segmentation_iou,
    eval_semantic_segmentation,
)


def share(part, whole):
    return len(part) / len(whole) if whole else np.nan


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(0, 3))
def test_sets_of_pixels(seed, count):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 4, (count, 2))
    pred = [rng.integers(0, 5, size).astype(np.int32) for size in sizes]
    gt = [rng.choice([-1, 0, 1, 3, 6], size).astype(np.int32) for size in sizes]
    pixels = [
        (i, y, x) for i in range(count) for y in range(sizes[i][0]) for x in range(sizes[i][1]) if gt[i][y, x] >= 0
    ]
    classes = max([max(int(pred[i][y, x]), int(gt[i][y, x])) for i, y, x in pixels], default=-1) + 1
    of = [{(i, y, x) for i, y, x in pixels if gt[i][y, x] == c} for c in range(classes)]
    so = [{(i, y, x) for i, y, x in pixels if pred[i][y, x] == c} for c in range(classes)]
    right = {pixel for c in range(classes) for pixel in of[c] & so[c]}

    confusion = calc_semantic_segmentation_confusion(iter(pred), iter(gt))
    assert confusion.dtype == np.int64
    assert confusion.tolist() == [[len(of[a] & so[b]) for b in range(classes)] for a in range(classes)]
    found = eval_semantic_segmentation(pred, gt)
    iou = [share(of[c] & so[c], of[c] | so[c]) for c in range(classes)]
    accuracy = [share(of[c] & so[c], of[c]) for c in range(classes)]
    np.testing.assert_allclose(found["iou"], iou)
    np.testing.assert_allclose(calc_semantic_segmentation_iou(confusion), iou)
    np.testing.assert_allclose(found["class_accuracy"], accuracy)
    np.testing.assert_allclose(found["pixel_accuracy"], share(right, pixels))
    for name, values in (("miou", iou), ("mean_class_accuracy", accuracy)):
        known = [value for value in values if not np.isnan(value)]
        np.testing.assert_allclose(found[name], sum(known) / len(known) if known else np.nan)


@pytest.mark.parametrize(
    ("pred", "gt", "said"),
    [
        ([np.zeros((2, 3), int)], [np.zeros((3, 2), int)], r"\(2, 3\) and \(3, 2\)"),
        ([np.zeros(2, int)], [np.zeros(2, int)], r"\(H, W\)"),
        ([np.full((1, 1), -2)], [np.zeros((1, 1), int)], "class -2"),
        ([np.zeros((1, 1), int)], [], "pred_labels: more; each must"),
    ],
)
def test_what_does_not_belong_together(pred, gt, said):
    with pytest.raises(ValueError, match=said):
        eval_semantic_segmentation(pred, gt)
