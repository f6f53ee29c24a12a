"""The boxes of all classes at once, against one class after another."""

import numpy as np
import pytest

from renga_cv.links.model.detections import chosen_of_each_class
from renga_cv.utils.bbox import non_maximum_suppression


@pytest.mark.parametrize("of_classes", [False, True], ids=["boxes for all classes", "boxes of each class"])
def test_each_class_by_itself(of_classes):
    rng = np.random.default_rng(0)
    start = rng.integers(0, 30, (200, 5, 2) if of_classes else (200, 2))
    boxes = np.concatenate((start, start + rng.integers(1, 20, start.shape)), axis=-1).astype(np.float32)
    scores = (rng.integers(0, 8, (200, 5)) / 8).astype(np.float32)  # with ties
    scores[:, 2] = 0  # a class without candidates
    rows, labels = chosen_of_each_class(boxes, scores, scores >= 0.25, 0.4)
    assert (rows.dtype, labels.dtype) == (np.int64, np.int32)
    expected = []
    for label in range(5):
        (some,) = np.nonzero(scores[:, label] >= 0.25)
        kept = non_maximum_suppression(boxes[some, label] if of_classes else boxes[some], 0.4, scores[some, label])
        expected += [(row, label) for row in some[kept]]
    assert len(expected) > 50
    assert list(zip(rows, labels, strict=True)) == expected


def test_no_candidates():
    rows, labels = chosen_of_each_class(np.zeros((3, 4), np.float32), np.zeros((3, 2)), np.zeros((3, 2), bool), 0.5)
    assert (rows.shape, labels.shape) == ((0,), (0,))
