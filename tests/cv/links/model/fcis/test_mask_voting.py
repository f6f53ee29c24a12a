"""Masks of boxes, and their votes, on cases that can be counted by hand."""

import numpy as np
import pytest

from renga_cv.links.model.fcis.mask_voting import mask_voting
from renga_cv.links.model.fcis.masks import paste, resized

SIZE = (20, 24)


def vote(seg_prob, bbox, cls_prob, score_thresh=0.1, nms_thresh=0.3, **options):
    arrays = (np.array(array, np.float32) for array in (seg_prob, bbox, cls_prob))
    return mask_voting(*arrays, SIZE, score_thresh, nms_thresh, 0.5, 0.4, **options)


def half(left, right):
    """A mask of 4 × 4 cells."""
    return np.repeat([[left, left, right, right]], 4, axis=0)


def test_a_region_alone_keeps_its_mask_and_gets_its_box():
    mask, bbox, label, score = vote([half(0, 1)], [[2, 4, 10, 12]], [[0.2, 0.1, 0.7]], score_thresh=0.3)
    assert bbox.tolist() == [[2, 7, 10, 12]] or bbox.tolist() == [[2, 8, 10, 12]]
    assert (label.tolist(), score.tolist()) == ([1], [pytest.approx(0.7)])
    np.testing.assert_allclose(mask, np.ones((1, 4, 4)), atol=1e-6)
    assert [array.dtype for array in (mask, bbox, label, score)] == [np.float32, np.float32, np.int32, np.float32]


def test_overlapping_regions_vote_by_their_probability():
    regions = {"bbox": [[2, 4, 10, 12], [2, 4, 10, 12]], "seg_prob": [half(1, 0), half(1, 1)]}
    # 0.6 to 0.3: the right half has a third of the votes, too few; 0.5 to 0.4: four ninths, enough.
    _, bbox, _, score = vote(**regions, cls_prob=[[0.4, 0.6], [0.7, 0.3]])
    assert bbox[0, 3] < 10
    assert score.tolist() == [pytest.approx(0.6)]
    mask, bbox, _, _ = vote(**regions, cls_prob=[[0.5, 0.5], [0.6, 0.4]])
    assert bbox.tolist() == [[2, 4, 10, 12]]
    np.testing.assert_allclose(mask[0, :, [0, 3]], [[1] * 4, [4 / 9] * 4], atol=1e-6)


def test_regions_apart_do_not_vote():
    mask, bbox, label, _ = vote(
        [half(1, 1), half(1, 1)], [[2, 4, 10, 12], [11, 4, 19, 12]], [[0.1, 0.8, 0.1], [0.1, 0.85, 0.05]]
    )
    assert bbox.tolist() == [[11, 4, 19, 12], [2, 4, 10, 12], [2, 4, 10, 12]]
    assert label.tolist() == [0, 0, 1]
    np.testing.assert_allclose(mask, 1, atol=1e-6)


def test_at_most_so_many_instances():
    bbox = [[0, 3 * i, 3, 3 * i + 3] for i in range(6)]
    cls_prob = [[1 - p, p] for p in (0.3, 0.9, 0.5, 0.7, 0.8, 0.2)]
    _, _, _, score = vote([half(1, 1)] * 6, bbox, cls_prob, limit=3)
    assert score.tolist() == [pytest.approx(p) for p in (0.9, 0.8, 0.7)]


def test_another_class_can_be_the_background():
    _, _, label, _ = vote([half(1, 1)], [[2, 4, 10, 12]], [[0.6, 0.3, 0.1]], bg_label=2)
    assert label.tolist() == [0, 1]


def test_an_empty_mask_is_no_instance():
    found = vote([half(0, 0)], [[2, 4, 10, 12]], [[0.1, 0.9]])
    assert [array.shape for array in found] == [(0, 4, 4), (0, 4), (0,), (0,)]


def test_no_regions():
    found = vote(np.zeros((0, 4, 4)), np.zeros((0, 4)), np.zeros((0, 3)))
    assert [array.shape for array in found] == [(0, 4, 4), (0, 4), (0,), (0,)]


def test_paste_rounds_the_box():
    pasted = paste(np.ones((3, 3), np.float32), np.array([1.4, 2.6, 4.6, 7.4]), SIZE, 0.5)
    right = np.zeros(SIZE, bool)
    right[1:5, 3:7] = True
    assert np.array_equal(pasted, right)
    assert not paste(np.ones((3, 3), np.float32), np.array([1.4, 2, 1.4, 8]), SIZE, 0.5).any()


@pytest.mark.torch
def test_resized_is_that_of_torch():
    torch = pytest.importorskip("torch")
    mask = np.random.default_rng(0).uniform(0, 1, (5, 7)).astype(np.float32)
    for size in ((11, 3), (5, 7), (2, 20)):
        right = torch.nn.functional.interpolate(torch.from_numpy(mask)[None, None], size, mode="bilinear")
        np.testing.assert_allclose(resized(mask, size), right[0, 0].numpy(), atol=1e-6)
