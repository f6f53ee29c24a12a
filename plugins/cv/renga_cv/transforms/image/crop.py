"""Crop images."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from renga_cv.utils.checks import as_size, require_image

__all__ = ["center_crop", "random_crop", "random_sized_crop", "ten_crop"]

Host = np.ndarray[Any, Any]

_ATTEMPTS = 10


def center_crop(img: Host, size: tuple[int, int], return_param: bool = False, copy: bool = False) -> Any:
    """Crop the middle of an image.

    Args:
        img: Image ``(C, H, W)``.
        size: Height and width of the crop.
        return_param: Also return a dictionary. ``y_slice``, ``x_slice``: the position of the crop.
        copy: Return a copy. If False, a view.

    Returns:
        Image ``(C, *size)``; with `return_param`, a pair.

    Raises:
        InvalidType: `img` is not an image.
        ValueError: The image is smaller than `size`.

    >>> import numpy as np
    >>> center_crop(np.zeros((3, 40, 60), np.float32), (32, 32)).shape
    (3, 32, 32)
    """
    height, width = _fitting_size("center_crop", img, size)
    y_offset, x_offset = round((img.shape[1] - height) / 2), round((img.shape[2] - width) / 2)
    return _part(img, (y_offset, x_offset), (height, width), {} if return_param else None, copy)


def random_crop(img: Host, size: tuple[int, int], return_param: bool = False, copy: bool = False) -> Any:
    """Crop an image at a random place.

    Args, Returns, Raises:
        See `center_crop`.

    >>> import numpy as np
    >>> random_crop(np.zeros((3, 40, 60), np.float32), (32, 32)).shape
    (3, 32, 32)
    """
    height, width = _fitting_size("random_crop", img, size)
    offset = random.randint(0, img.shape[1] - height), random.randint(0, img.shape[2] - width)
    return _part(img, offset, (height, width), {} if return_param else None, copy)


def random_sized_crop(
    img: Host,
    scale_ratio_range: tuple[float, float] = (0.08, 1),
    aspect_ratio_range: tuple[float, float] = (3 / 4, 4 / 3),
    return_param: bool = False,
    copy: bool = False,
) -> Any:
    """Crop an image at a random place, with random size and shape (Szegedy et al. 2015, GoogLeNet, 6).

    First an aspect ratio is drawn, then a scale at which a crop of this shape fits. If none of ten shapes fits at the
    smallest scale, the crop is the largest one of the last shape.

    Args:
        img: Image ``(C, H, W)``.
        scale_ratio_range: Smallest and largest area of the crop, as a fraction of the image's area.
        aspect_ratio_range: Range of the ratio of height to width. It is inverted half of the time.
        return_param: Also return a dictionary. ``y_slice``, ``x_slice``: the position of the crop; ``scale_ratio``,
            ``aspect_ratio``: the drawn values.
        copy: Return a copy. If False, a view.

    Returns:
        Image ``(C, H', W')``; with `return_param`, a pair.

    Raises:
        InvalidType: `img` is not an image.
        ValueError: A range is not ``0 < smallest <= largest``.

    >>> import numpy as np
    >>> random_sized_crop(np.zeros((3, 40, 60), np.float32)).shape[0]
    3
    """
    require_image("random_sized_crop", img)
    for argument, (low, high) in (("scale_ratio_range", scale_ratio_range), ("aspect_ratio_range", aspect_ratio_range)):
        if not 0 < low <= high:
            raise ValueError(f"random_sized_crop: {argument} is ({low:g}, {high:g}); expected 0 < smallest <= largest")
    _, height, width = img.shape
    for _ in range(_ATTEMPTS):
        aspect_ratio = random.uniform(*aspect_ratio_range)
        if random.random() < 0.5:
            aspect_ratio = 1 / aspect_ratio
        largest = min(scale_ratio_range[1], height / (width * aspect_ratio), width * aspect_ratio / height)
        if largest >= scale_ratio_range[0]:
            break
    scale_ratio = random.uniform(min(scale_ratio_range[0], largest), largest)
    area = scale_ratio * height * width
    # A millionth more, so that rounding errors do not shrink a crop of full size.
    size = (
        max(math.floor(math.sqrt(area * aspect_ratio) + 1e-6), 1),
        max(math.floor(math.sqrt(area / aspect_ratio) + 1e-6), 1),
    )
    offset = random.randint(0, height - size[0]), random.randint(0, width - size[1])
    param = {"scale_ratio": scale_ratio, "aspect_ratio": aspect_ratio} if return_param else None
    return _part(img, offset, size, param, copy)


def ten_crop(img: Host, size: tuple[int, int]) -> Host:
    """Crop the middle and the four corners of an image, and mirror these crops (Krizhevsky et al. 2012, 4.1).

    Args:
        img: Image ``(C, H, W)``.
        size: Height and width of each crop.

    Returns:
        Images ``(10, C, *size)``: centre, top left, bottom left, top right, bottom right, and these mirrored left to
        right.

    Raises:
        InvalidType: `img` is not an image.
        ValueError: The image is smaller than `size`.

    >>> import numpy as np
    >>> ten_crop(np.zeros((3, 40, 60), np.float32), (32, 32)).shape
    (10, 3, 32, 32)
    """
    height, width = _fitting_size("ten_crop", img, size)
    bottom, right = img.shape[1] - height, img.shape[2] - width
    offsets = [(round(bottom / 2), round(right / 2)), (0, 0), (bottom, 0), (0, right), (bottom, right)]
    crops = np.stack([img[:, y : y + height, x : x + width] for y, x in offsets])
    return np.concatenate([crops, crops[:, :, :, ::-1]])


def _fitting_size(function: str, img: Host, size: Any) -> tuple[int, int]:
    """Check and return height and width of a crop of `img`."""
    require_image(function, img)
    height, width = as_size(function, "size", size)
    if height > img.shape[1] or width > img.shape[2]:
        raise ValueError(
            f"{function}: size {height} x {width} is larger than the image, {img.shape[1]} x {img.shape[2]}. "
            "Next: resize or scale it first."
        )
    return height, width


def _part(img: Host, offset: tuple[int, int], size: tuple[int, int], param: dict[str, Any] | None, copy: bool) -> Any:
    """Return the crop of `img` at `offset`, and its position if `param` is not None."""
    y_slice, x_slice = slice(offset[0], offset[0] + size[0]), slice(offset[1], offset[1] + size[1])
    part = img[:, y_slice, x_slice]
    if copy:
        part = part.copy()
    return part if param is None else (part, {"y_slice": y_slice, "x_slice": x_slice, **param})
