"""Boxes as offsets, against the formulas and each other."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from renga_cv.links.model.faster_rcnn.box_coding import bbox2loc, loc2bbox

_BOXES = arrays(
    np.float64, st.tuples(st.integers(0, 5), st.just(4)), elements=st.floats(0.125, 100, width=32), unique=False
)


def _boxes(start_and_size: np.ndarray) -> np.ndarray:
    return np.concatenate((start_and_size[:, :2], start_and_size[:, :2] + start_and_size[:, 2:]), axis=1)


@settings(deadline=None)
@given(_BOXES, st.integers(0, 2**31))
def test_moving_by_the_offsets_between_boxes_leads_there(source: np.ndarray, seed: int) -> None:
    target = np.random.default_rng(seed).uniform(0.125, 100, source.shape)
    loc = bbox2loc(_boxes(source), _boxes(target))
    np.testing.assert_allclose(loc2bbox(_boxes(source), loc), _boxes(target), rtol=1e-9, atol=1e-9)


@settings(deadline=None)
@given(_BOXES, st.integers(0, 2**31))
def test_offsets_between_moved_boxes_are_the_moves(source: np.ndarray, seed: int) -> None:
    loc = np.random.default_rng(seed).normal(0, 0.5, source.shape)
    np.testing.assert_allclose(bbox2loc(_boxes(source), loc2bbox(_boxes(source), loc)), loc, rtol=1e-6, atol=1e-6)


def test_formulas() -> None:
    loc = bbox2loc(np.array([[1.0, 2.0, 5.0, 12.0]]), np.array([[3.0, 2.0, 11.0, 7.0]]))
    np.testing.assert_allclose(loc, [[(7 - 3) / 4, (4.5 - 7) / 10, math.log(8 / 4), math.log(5 / 10)]])


def test_several_moves_for_each_box() -> None:
    rng = np.random.default_rng(0)
    boxes = _boxes(rng.uniform(1, 9, (3, 4))).astype(np.float32)
    loc = rng.normal(0, 0.3, (3, 8)).astype(np.float32)
    moved = loc2bbox(boxes, loc)
    assert moved.dtype == np.float32
    np.testing.assert_array_equal(moved, np.concatenate((loc2bbox(boxes, loc[:, :4]), loc2bbox(boxes, loc[:, 4:])), 1))


def test_boxes_without_extent_have_finite_offsets() -> None:
    empty = np.array([[1, 1, 1, 1]], np.float32)
    assert np.isfinite(bbox2loc(empty, np.array([[0, 0, 4, 4]], np.float32))).all()
    assert np.isfinite(bbox2loc(np.array([[0, 0, 4, 4]], np.float32), empty)).all()


def test_no_boxes() -> None:
    none = np.zeros((0, 4), np.float32)
    assert bbox2loc(none, none).shape == (0, 4)
    assert loc2bbox(none, np.zeros((0, 12), np.float32)).shape == (0, 12)
