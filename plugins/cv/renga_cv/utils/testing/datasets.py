"""Checks of data sets: each checks some or all examples, and raises AssertionError on an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_cv.utils.testing.values import (
    assert_is_bbox,
    assert_is_image,
    assert_is_point,
    check,
    check_labels,
    check_masks,
    check_pixel_labels,
)

__all__ = [
    "assert_is_bbox_dataset",
    "assert_is_instance_segmentation_dataset",
    "assert_is_label_dataset",
    "assert_is_point_dataset",
    "assert_is_semantic_segmentation_dataset",
]


def assert_is_bbox_dataset(dataset: Any, n_fg_class: int, n_example: int | None = None) -> None:
    """Check that examples begin with an image, boxes in it, and their classes, int32 ``(R,)``.

    Args:
        dataset: The data set to check.
        n_fg_class: Number of classes, without the background.
        n_example: Number of examples to check, spread from first to last; None: all.

    Raises:
        AssertionError: An example has other contents, or the data set is empty.
    """

    def check_example(img: Any, bbox: Any, label: Any, *_: Any) -> None:
        assert_is_image(img)
        assert_is_bbox(bbox, img.shape[1:])
        check_labels("label", label, n_fg_class, len(bbox))

    _check_examples(dataset, n_example, 3, check_example)


def assert_is_instance_segmentation_dataset(dataset: Any, n_fg_class: int, n_example: int | None = None) -> None:
    """Check that examples begin with an image, masks, bool ``(R, H, W)``, and their classes, int32 ``(R,)``.

    Args:
        dataset: The data set to check.
        n_fg_class: Number of classes, without the background.
        n_example: Number of examples to check, spread from first to last; None: all.

    Raises:
        AssertionError: An example has other contents, or the data set is empty.
    """

    def check_example(img: Any, mask: Any, label: Any, *_: Any) -> None:
        assert_is_image(img)
        check_masks("mask", mask, img.shape[1:])
        check_labels("label", label, n_fg_class, len(mask))

    _check_examples(dataset, n_example, 3, check_example)


def assert_is_label_dataset(dataset: Any, n_class: int, n_example: int | None = None, color: bool = True) -> None:
    """Check that examples begin with an image and its class, an int32 scalar.

    Args:
        dataset: The data set to check.
        n_class: Number of classes.
        n_example: Number of examples to check, spread from first to last; None: all.
        color: Whether images must have three channels, or one.

    Raises:
        AssertionError: An example has other contents, or the data set is empty.
    """

    def check_example(img: Any, label: Any, *_: Any) -> None:
        assert_is_image(img, color)
        right = np.ndim(label) == 0 and getattr(label, "dtype", None) == np.int32
        check(right, f"label must be an int32 without axes, not {label!r}")
        check(0 <= label < n_class, f"label must be from 0 to {n_class - 1}, not {label}")

    _check_examples(dataset, n_example, 2, check_example)


def assert_is_point_dataset(
    dataset: Any, n_point: int | None = None, n_example: int | None = None, no_visible: bool = False
) -> None:
    """Check that examples begin with an image, points in it, and their visibility.

    Args:
        dataset: The data set to check.
        n_point: Number of points of each instance, if it is known.
        n_example: Number of examples to check, spread from first to last; None: all.
        no_visible: Examples do not contain the visibility of points.

    Raises:
        AssertionError: An example has other contents, or the data set is empty.
    """

    def check_example(img: Any, point: Any, *rest: Any) -> None:
        assert_is_image(img)
        assert_is_point(point, None if no_visible else rest[0], img.shape[1:], n_point)

    _check_examples(dataset, n_example, 2 if no_visible else 3, check_example)


def assert_is_semantic_segmentation_dataset(dataset: Any, n_class: int, n_example: int | None = None) -> None:
    """Check that examples begin with an image and a label for each pixel, int32 ``(H, W)``, from -1.

    Args:
        dataset: The data set to check.
        n_class: Number of classes.
        n_example: Number of examples to check, spread from first to last; None: all.

    Raises:
        AssertionError: An example has other contents, or the data set is empty.
    """

    def check_example(img: Any, label: Any, *_: Any) -> None:
        assert_is_image(img)
        check_pixel_labels("label", label, n_class, img.shape[1:])

    _check_examples(dataset, n_example, 2, check_example)


def _check_examples(dataset: Any, n_example: int | None, elements: int, check_example: Callable[..., None]) -> None:
    number = len(dataset)
    check(number > 0, "the data set has no examples")
    chosen = range(number) if n_example is None else np.linspace(0, number - 1, min(n_example, number)).astype(int)
    for i in chosen:
        example = dataset[int(i)]
        try:
            right = isinstance(example, tuple) and len(example) >= elements
            check(right, f"expected a tuple of at least {elements} elements, not {type(example).__name__}")
            check_example(*example)
        except AssertionError as error:
            raise AssertionError(f"example {i}: {error}") from None
