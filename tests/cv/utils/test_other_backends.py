"""Boxes and masks on a backend that has the functions of the array-API standard, and counts visits to the host."""

import numpy as np
import pytest

from renga_backend_array_api import StandardArray, StandardBackend
from renga_core.backend import array_types
from renga_cv.utils.bbox import bbox_iou, non_maximum_suppression
from renga_cv.utils.mask import mask_iou, mask_to_bbox

visits = []


class OtherArray(StandardArray, library=np):
    __slots__ = ()


class CountingBackend(StandardBackend):
    def to_host(self, array):
        visits.append(array)
        return super().to_host(array)


@pytest.fixture
def backend(monkeypatch):
    made = CountingBackend("other", OtherArray)
    monkeypatch.setitem(array_types, OtherArray, made)
    visits.clear()
    return made


def random_boxes(number, dtype):
    rng = np.random.default_rng(0)
    start = rng.uniform(0, 20, (number, 2))
    boxes = np.concatenate([start, start + rng.uniform(1, 9, (number, 2))], axis=1)
    return boxes.astype(dtype), rng.permutation(number)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("score_dtype", [np.float32, np.float64, np.int64, None])
def test_suppression_visits_the_host_once(backend, dtype, score_dtype):
    boxes, score = random_boxes(60, dtype)
    scores = () if score_dtype is None else (score.astype(score_dtype),)
    expected = non_maximum_suppression(boxes, 0.3, *scores)
    visits.clear()
    kept = non_maximum_suppression(backend.asarray(boxes), 0.3, *map(backend.asarray, scores))
    assert isinstance(kept, OtherArray)
    assert len(visits) == 1
    assert 1 < len(expected) < 60
    np.testing.assert_array_equal(backend.to_host(kept), expected)
    assert backend.to_host(kept).dtype == np.int32


def test_overlaps_and_boxes_of_masks_stay_where_they_are(backend):
    boxes, _ = random_boxes(6, np.float32)
    mask = np.random.default_rng(0).random((4, 9, 11)) < 0.3
    mask[2] = False
    for function, arrays in ((bbox_iou, (boxes, boxes[:4])), (mask_iou, (mask, mask[:2])), (mask_to_bbox, (mask,))):
        expected = function(*arrays)
        visits.clear()
        found = function(*map(backend.asarray, arrays))
        assert isinstance(found, OtherArray)
        assert not visits
        np.testing.assert_allclose(backend.to_host(found), expected, rtol=1e-6)
