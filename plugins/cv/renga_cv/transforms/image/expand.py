"""Place an image on a larger canvas."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from renga_cv.utils.checks import require_image

__all__ = ["canvas", "filling", "random_expand"]

Host = np.ndarray[Any, Any]


def random_expand(img: Host, max_ratio: float = 4, fill: Any = 0, return_param: bool = False) -> Any:
    """Place an image at random on a canvas up to `max_ratio` times as high and wide (Liu et al. 2016, SSD, 3.6).

    Args:
        img: Image ``(C, H, W)``.
        max_ratio: The largest ratio. It is drawn from 1 to this; at 1 or less the image stays as it is.
        fill: The value of the canvas: a number, or one for each channel.
        return_param: Also return a dictionary. ``ratio``: the ratio of canvas to image; ``y_offset``,
            ``x_offset``: the position of the image.

    Returns:
        Image ``(C, H', W')`` of the same dtype, a copy unless it is unchanged; with
        `return_param`, a pair.

    Raises:
        InvalidType: `img` is not an image.
        ValueError: `fill` has neither one number nor one for each channel.

    >>> import numpy as np
    >>> random_expand(np.zeros((3, 40, 60), np.float32), max_ratio=2).shape[0]
    3
    """
    require_image("random_expand", img)
    param: dict[str, Any] = {"ratio": 1, "y_offset": 0, "x_offset": 0}
    if max_ratio > 1:
        _, height, width = img.shape
        ratio = random.uniform(1, max_ratio)
        out_size = (int(height * ratio), int(width * ratio))
        y_offset, x_offset = random.randint(0, out_size[0] - height), random.randint(0, out_size[1] - width)
        expanded = canvas("random_expand", img, out_size, fill)
        expanded[:, y_offset : y_offset + height, x_offset : x_offset + width] = img
        img, param = expanded, {"ratio": ratio, "y_offset": y_offset, "x_offset": x_offset}
    return (img, param) if return_param else img


def canvas(function: str, img: Host, size: tuple[int, int], fill: Any) -> Host:
    """Return a filled canvas ``(C, *size)`` for an image. Raises ValueError; see `filling`."""
    made = np.empty((len(img), *size), img.dtype)
    made[:] = filling(function, img, fill)
    return made


def filling(function: str, img: Host, fill: Any) -> Host:
    """Return the fill value of each channel, ``(C, 1, 1)``.

    Raises:
        ValueError: `fill` has neither one number nor one for each channel.
    """
    given = np.asarray(fill).reshape(-1, 1, 1)
    if len(given) not in (1, len(img)):
        raise ValueError(f"{function}: fill has {len(given)} numbers; the image has {len(img)} channels")
    return np.broadcast_to(given, (len(img), 1, 1))
