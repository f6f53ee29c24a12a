"""Checks of models: each lets one predict two images of noise, and looks at what comes out."""

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
    """`link` detects objects: ``predict`` of images returns lists of boxes, of classes and of scores.

    Args:
        link: What is checked.
        n_fg_class: Number of classes, without the background.

    Raises:
        AssertionError: Something else comes out.
    """
    for _, bbox, label, score in _predicted(link, "bboxes", "labels", "scores"):
        assert_is_bbox(bbox)
        check_labels("label", label, n_fg_class, len(bbox))
        _check_scores(score, len(bbox))


def assert_is_instance_segmentation_link(link: Any, n_fg_class: int) -> None:
    """`link` masks objects: ``predict`` of images returns lists of masks, of classes and of scores.

    Args:
        link: What is checked.
        n_fg_class: Number of classes, without the background.

    Raises:
        AssertionError: Something else comes out.
    """
    for img, mask, label, score in _predicted(link, "masks", "labels", "scores"):
        check_masks("mask", mask, img.shape[1:])
        check_labels("label", label, n_fg_class, len(mask))
        _check_scores(score, len(mask))


def assert_is_semantic_segmentation_link(link: Any, n_class: int) -> None:
    """`link` gives each pixel a class: ``predict`` of images returns a list of labels.

    Args:
        link: What is checked.
        n_class: Number of classes.

    Raises:
        AssertionError: Something else comes out.
    """
    for img, label in _predicted(link, "labels"):
        check_pixel_labels("label", label, n_class, img.shape[1:])


def _predicted(link: Any, *names: str) -> Any:
    """Images of noise, each with what is predicted of it."""
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
