"""Rotate images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_cv.configuration import library_for
from renga_cv.transforms.image.expand import filling
from renga_cv.transforms.image.interpolation import BILINEAR, by_channel, cv2_interpolation, pillow_interpolation
from renga_cv.utils.checks import require_image

__all__ = ["random_rotate", "rotate"]

Host = np.ndarray[Any, Any]


def random_rotate(img: Host, return_param: bool = False) -> Any:
    """Rotate an image by 0, 90, 180 or 270 degrees, at random.

    Args:
        img: Image ``(C, H, W)``.
        return_param: Also return a dictionary. ``k``: the number of right angles, anticlockwise.

    Returns:
        Image ``(C, H, W)`` or ``(C, W, H)``, a view; with `return_param`, a pair.

    Raises:
        InvalidType: `img` is not an image.

    >>> import numpy as np
    >>> random_rotate(np.zeros((3, 40, 40), np.float32)).shape
    (3, 40, 40)
    """
    require_image("random_rotate", img)
    k = int(np.random.randint(4))
    rotated = np.rot90(img, k, axes=(1, 2))
    return (rotated, {"k": k}) if return_param else rotated


def rotate(img: Host, angle: float, expand: bool = True, fill: Any = 0, interpolation: int = BILINEAR) -> Host:
    """Rotate an image around its centre.

    Computes in single precision, with the library that configuration entry ``cv_rotate_backend`` names; see
    `renga_cv.configuration`. Rotations by right angles need no library.

    Args:
        img: Image ``(C, H, W)``.
        angle: Degrees, anticlockwise.
        expand: Make the result large enough for the whole image. If False, it has the size of the image.
        fill: The value of empty corners: a number, or one for each channel.
        interpolation: Pillow's number: ``PIL.Image.NEAREST``, ``BILINEAR`` or ``BICUBIC``; by OpenCV also
            ``LANCZOS``.

    Returns:
        Image ``(C, H', W')`` of the same dtype.

    Raises:
        InvalidType: `img` is not an image.
        ValueError: The interpolation is unknown, or `fill` has neither one number nor one for each channel.
        RengaError: The library is not installed.

    >>> import numpy as np
    >>> rotate(np.zeros((3, 40, 60), np.float32), 90).shape
    (3, 60, 40)
    """
    require_image("rotate", img)
    fills = [float(number) for number in filling("rotate", img, fill).ravel()]
    _, height, width = img.shape
    if angle % 90 == 0 and (expand or height == width or angle % 180 == 0):
        return np.rot90(img, int(angle // 90), axes=(1, 2)).copy()
    channels = iter(fills)
    if library_for("rotate") == "cv2":
        import cv2

        flag = cv2_interpolation("rotate", interpolation)
        matrix, size = _movement(angle, height, width, expand)

        def change(channel: Host) -> Host:
            warped: Host = cv2.warpAffine(channel, matrix, size, flags=flag, borderValue=next(channels))
            return warped

    else:
        from PIL import Image

        resample = pillow_interpolation("rotate", interpolation, (0, 2, 3))

        def change(channel: Host) -> Host:
            return np.asarray(Image.fromarray(channel).rotate(angle, resample, expand, fillcolor=next(channels)))

    return by_channel("rotate", img, change)


def _movement(angle: float, height: int, width: int, expand: bool) -> tuple[Host, tuple[int, int]]:
    """Return the transform, a matrix (2, 3) for column vectors ``(x, y, 1)``, and width and height of the result.

    Coordinates refer to pixel centres: the middle of `width` pixels is at ``(width - 1) / 2``.
    """
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    size = (width, height)
    if expand:
        # A millionth less, so that an edge exactly on the border of a pixel adds no pixel.
        size = (
            math.ceil(width * abs(cos) + height * abs(sin) - 1e-6),
            math.ceil(width * abs(sin) + height * abs(cos) - 1e-6),
        )
    turn = np.array([[cos, sin], [-sin, cos]])
    before, after = np.array([width - 1, height - 1]) / 2, np.array([size[0] - 1, size[1] - 1]) / 2
    return np.concatenate([turn, (after - turn @ before)[:, None]], axis=1), size
