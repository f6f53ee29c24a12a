"""SSD's random changes of training pictures."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from renga_core.configuration import using_config
from renga_cv.transforms.image.resize import resize
from renga_cv.utils.bbox import bbox_iou

__all__ = ["random_crop_with_bbox_constraints", "random_distort", "resize_with_random_interpolation"]

Host = np.ndarray[Any, Any]

_CONSTRAINTS = ((0.1, None), (0.3, None), (0.5, None), (0.7, None), (0.9, None), (None, 1))

_INTERPOLATIONS = (0, 1, 2, 3, 4)
"""Pillow's numbers: nearest, Lanczos, bilinear, bicubic, box."""


def random_distort(
    img: Host,
    brightness_delta: float = 32,
    contrast_low: float = 0.5,
    contrast_high: float = 1.5,
    saturation_low: float = 0.5,
    saturation_high: float = 1.5,
    hue_delta: int = 18,
) -> Host:
    """Change brightness, contrast, saturation and hue, each in half of all cases (Howard 2013; Liu et al. 2016, 2.2).

    Brightness comes first. Contrast comes second or last, with even chances. Values are clipped to the range from 0 to
    255 after each step. Uses Python's `random`.

    Args:
        img: Image ``(3, H, W)``, RGB, from 0 to 255.
        brightness_delta: Largest change of all values.
        contrast_low, contrast_high: Range of the factor of all values.
        saturation_low, saturation_high: Range of the factor of saturation.
        hue_delta: Largest rotation of the hue, an integer in steps of 2 degrees.

    Returns:
        A new image, float32.
    """
    img = img.astype(np.float32)
    if random.randrange(2):
        img = np.clip(img + random.uniform(-brightness_delta, brightness_delta), 0, 255)

    def contrast(img: Host) -> Host:
        if random.randrange(2):
            img = np.clip(img * random.uniform(contrast_low, contrast_high), 0, 255)
        return img

    contrast_first = random.randrange(2)
    if contrast_first:
        img = contrast(img)
    if random.randrange(2):
        img = _saturate(img, random.uniform(saturation_low, saturation_high))
    if random.randrange(2):
        img = _turn_hue(img, random.randint(-hue_delta, hue_delta) / 30)
    if not contrast_first:
        img = contrast(img)
    return np.clip(img, 0, 255)  # a rounding error may exceed the range


def _saturate(img: Host, factor: float) -> Host:
    """Multiply the saturation of HSV, which is ``1 - min / max`` and at most 1: the distances of colours from max."""
    value = img.max(axis=0)
    spread = value - img.min(axis=0)
    limit = np.divide(value, spread, out=np.ones_like(value), where=spread > 0)
    saturated: Host = value - (value - img) * np.minimum(limit, np.float32(factor))
    return saturated


def _turn_hue(img: Host, turn: float) -> Host:
    """Add to the hue of HSV, from 0 to 6 around the circle, by the formulas of Smith 1978."""
    red, green, blue = img
    value = img.max(axis=0)
    spread = value - img.min(axis=0)
    chroma = np.where(spread > 0, spread, 1)
    hue = np.where(
        value == red,
        (green - blue) / chroma,
        np.where(value == green, 2 + (blue - red) / chroma, 4 + (red - green) / chroma),
    )
    # Distances of red, green and blue from the largest value, around the circle.
    place = (np.array([5, 3, 1], np.float32).reshape(-1, 1, 1) + (hue + np.float32(turn))) % 6
    turned: Host = value - spread * np.clip(np.minimum(place, 4 - place), 0, 1)
    return turned


def random_crop_with_bbox_constraints(
    img: Host,
    bbox: Host,
    min_scale: float = 0.3,
    max_scale: float = 1,
    max_aspect_ratio: float = 2,
    constraints: Iterable[tuple[float | None, float | None]] | None = None,
    max_trial: int = 50,
    return_param: bool = False,
) -> Host | tuple[Host, dict[str, Any]]:
    """Crop an image at random so that the crop overlaps an object enough (Liu et al. 2016, section 2.2).

    For each constraint, random crops are tried until one has an IoU within its bounds with all boxes. Of these crops
    and the whole image, one is chosen. Uses Python's `random`.

    Args:
        img: Image ``(C, H, W)``.
        bbox: Boxes of its objects ``(R, 4)``: y_min, x_min, y_max, x_max. Without any, the image stays whole.
        min_scale, max_scale: Range of the scale: the square root of the crop's fraction of the image's area.
        max_aspect_ratio: The largest ratio of the relative width of a crop to its relative height, or of height to
            width.
        constraints: Bounds of the IoU: pairs, with None for 0 and for 1. By default at least 0.1, 0.3, 0.5, 0.7, 0.9;
            and any.
        max_trial: Number of crops to try for each constraint.
        return_param: Also return the parameters of the crop.

    Returns:
        The crop, a view of the image; with `return_param` also a dictionary with ``constraint``, a pair of bounds, or
        None if the image stays whole, and slices ``y_slice`` and ``x_slice``.
    """
    size = img.shape[1:]
    whole = {"constraint": None, "y_slice": slice(0, size[0]), "x_slice": slice(0, size[1])}
    choices: list[dict[str, Any]] = [whole]
    for constraint in (_CONSTRAINTS if constraints is None else constraints) if len(bbox) else ():
        low, high = constraint[0] or 0, 1 if constraint[1] is None else constraint[1]
        for _ in range(max_trial):
            y, x = _random_slices(size, min_scale, max_scale, max_aspect_ratio)
            iou = bbox_iou(bbox, np.array([[y.start, x.start, y.stop, x.stop]], bbox.dtype))
            if low <= iou.min() and iou.max() <= high:
                choices.append({"constraint": constraint, "y_slice": y, "x_slice": x})
                break
    param = random.choice(choices)
    crop = img[:, param["y_slice"], param["x_slice"]]
    return (crop, param) if return_param else crop


def _random_slices(
    size: tuple[int, ...], min_scale: float, max_scale: float, max_aspect_ratio: float
) -> tuple[slice, slice]:
    scale = random.uniform(min_scale, max_scale)
    # Within these bounds neither edge is longer than the image's.
    ratio = random.uniform(max(1 / max_aspect_ratio, scale**2), min(max_aspect_ratio, 1 / scale**2))
    slices = []
    for edge, part in zip(size, (scale / ratio**0.5, scale * ratio**0.5), strict=True):
        length = min(edge, max(1, int(edge * part)))
        start = random.randint(0, edge - length)
        slices.append(slice(start, start + length))
    return slices[0], slices[1]


def resize_with_random_interpolation(
    img: Host, size: tuple[int, int], return_param: bool = False
) -> Host | tuple[Host, dict[str, Any]]:
    """Resize an image by one of five methods: nearest, Lanczos, bilinear, bicubic, or the mean of areas; by Pillow.

    Args:
        img: Image ``(C, H, W)``.
        size: Height and width of the result.
        return_param: Also return the method.

    Returns:
        The image; with `return_param` also a dictionary with ``interpolation``, the method as of
        `renga.cv.transforms.resize`.
    """
    interpolation = random.choice(_INTERPOLATIONS)
    with using_config("cv_resize_backend", "PIL"):  # OpenCV's box filter is different
        out = resize(img, size, interpolation)
    return (out, {"interpolation": interpolation}) if return_param else out
