"""Checks of models: each calls ``predict`` on two images of noise, and checks the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.utils.testing.values import (
    assert_is_bbox,
    check,
    check_array,
    check_labels,
    check_masks,
    check_pixel_labels,
)

__all__ = [
    "assert_is_detection_link",
    "assert_is_instance_segmentation_link",
    "assert_is_semantic_segmentation_link",
]

_SIZES = ((160, 120), (96, 128))


def assert_is_detection_link(link: Any, n_fg_class: int) -> None:
    """Check a detector: ``predict`` must return lists of boxes, classes and scores.

    Args:
        link: The model to check.
        n_fg_class: Number of classes, without the background.

    Raises:
        AssertionError: The result has another form.
    """
    for _, bbox, label, score in _predicted(link, "bboxes", "labels", "scores"):
        assert_is_bbox(bbox)
        check_labels("label", label, n_fg_class, len(bbox))
        _check_scores(score, len(bbox))


def assert_is_instance_segmentation_link(link: Any, n_fg_class: int) -> None:
    """Check an instance segmenter: ``predict`` must return lists of masks, classes and scores.

    Args:
        link: The model to check.
        n_fg_class: Number of classes, without the background.

    Raises:
        AssertionError: The result has another form.
    """
    for img, mask, label, score in _predicted(link, "masks", "labels", "scores"):
        check_masks("mask", mask, img.shape[1:])
        check_labels("label", label, n_fg_class, len(mask))
        _check_scores(score, len(mask))


def assert_is_semantic_segmentation_link(link: Any, n_class: int) -> None:
    """Check a semantic segmenter: ``predict`` must return a list of labels.

    Args:
        link: The model to check.
        n_class: Number of classes.

    Raises:
        AssertionError: The result has another form.
    """
    for img, label in _predicted(link, "labels"):
        check_pixel_labels("label", label, n_class, img.shape[1:])


def _predicted(link: Any, *names: str) -> Any:
    """Return images of noise, each with its predictions."""
    rng = np.random.default_rng(0)
    imgs = [rng.uniform(0, 255, (3, *size)).astype(np.float32) for size in _SIZES]
    returned = link.predict(imgs)
    lists = returned if len(names) > 1 else (returned,)
    check(isinstance(lists, tuple) and len(lists) == len(names), f"predict must return {', '.join(names)}")
    for name, found in zip(names, lists, strict=True):
        check(
            isinstance(found, list) and len(found) == len(imgs),
            f"{name} must be a list, with an element for each image",
        )
    return list(zip(imgs, *lists, strict=True))


def _check_scores(score: Any, number: int) -> None:
    check_array("score", score, "(R,)", 1, np.float32)
    check(len(score) == number, f"score must have {number} elements, one for each instance, not {len(score)}")
