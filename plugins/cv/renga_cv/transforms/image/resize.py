"""Resize images: to a size, to the length of an edge, or into a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.configuration import library_for
from renga_cv.transforms.image.expand import canvas
from renga_cv.transforms.image.interpolation import BILINEAR, by_channel, cv2_interpolation, pillow_interpolation
from renga_cv.utils.checks import as_size, require_image

__all__ = ["resize", "resize_contain", "scale", "scaled_size"]

Host = np.ndarray[Any, Any]


def resize(img: Host, size: tuple[int, int], interpolation: int = BILINEAR) -> Host:
    """Resize an image.

    Computes in single precision, with the library that configuration entry ``cv_resize_backend`` names; see
    `renga_cv.configuration`.

    Args:
        img: Image ``(C, H, W)``.
        size: Height and width of the result.
        interpolation: Pillow's number, such as ``PIL.Image.BILINEAR``. OpenCV has NEAREST, BILINEAR, BICUBIC and
            LANCZOS; Pillow also BOX and HAMMING.

    Returns:
        Image ``(C, *size)`` of the same dtype.

    Raises:
        InvalidType: `img` is not an image.
        ValueError: `size` is not positive, or the interpolation is unknown.
        RengaError: The library is not installed.

    >>> import numpy as np
    >>> resize(np.zeros((3, 40, 60), np.float32), (20, 30)).shape
    (3, 20, 30)
    """
    require_image("resize", img)
    height, width = as_size("resize", "size", size)
    if library_for("resize") == "cv2":
        import cv2

        flag = cv2_interpolation("resize", interpolation)
        return by_channel("resize", img, lambda x: cv2.resize(x, (width, height), interpolation=flag))
    from PIL import Image

    resample = pillow_interpolation("resize", interpolation)
    return by_channel("resize", img, lambda x: np.asarray(Image.fromarray(x).resize((width, height), resample)))


def scale(img: Host, size: int, fit_short: bool = True, interpolation: int = BILINEAR) -> Host:
    """Resize an image until one edge has length `size`; the other keeps the aspect ratio, rounded down.

    Args:
        img: Image ``(C, H, W)``.
        size: Length of the edge.
        fit_short: The shorter edge gets this length; if False, the longer edge.
        interpolation: See `resize`.

    Returns:
        Image ``(C, H', W')``; `img` itself if it has this size already.

    Raises:
        InvalidType, ValueError, RengaError: See `resize`.

    >>> import numpy as np
    >>> scale(np.zeros((3, 40, 60), np.float32), 20).shape  # the shorter side becomes 20
    (3, 20, 30)
    """
    require_image("scale", img)
    out_size = scaled_size(img.shape[1:], size, fit_short)
    return img if out_size == img.shape[1:] else resize(img, out_size, interpolation)


def scaled_size(size: tuple[int, int], length: int, fit_short: bool = True) -> tuple[int, int]:
    """Return height and width if one edge gets a length and the other keeps the aspect ratio, rounded down.

    Args:
        size: Height and width before.
        length: The new length of the edge.
        fit_short: The edge is the shorter one; if False, the longer one.

    Raises:
        ValueError: The length is not positive.
    """
    if length < 1:
        raise ValueError(f"scale: an edge cannot have a length of {length}; it must be at least 1")
    height, width = size
    edge = min(size) if fit_short else max(size)
    return max(height * length // edge, 1), max(width * length // edge, 1)


def resize_contain(
    img: Host, size: tuple[int, int], fill: Any = 0, interpolation: int = BILINEAR, return_param: bool = False
) -> Any:
    """Put an image in the middle of a frame. It is shrunk to fit, keeping its aspect ratio, and never enlarged.

    Args:
        img: Image ``(C, H, W)``.
        size: Height and width of the frame.
        fill: The value of the frame: a number, or one for each channel.
        interpolation: See `resize`.
        return_param: Also return a dictionary. ``y_offset``, ``x_offset``: the image's position in the frame;
            ``scaled_size``: its height and width there.

    Returns:
        Image ``(C, *size)`` of the same dtype; with `return_param`, a pair.

    Raises:
        InvalidType, ValueError, RengaError: See `resize`.

    >>> import numpy as np
    >>> resize_contain(np.zeros((3, 40, 60), np.float32), (64, 64)).shape
    (3, 64, 64)
    """
    require_image("resize_contain", img)
    height, width = as_size("resize_contain", "size", size)
    factor = min(height / img.shape[1], width / img.shape[2], 1)
    scaled_size = (max(int(img.shape[1] * factor), 1), max(int(img.shape[2] * factor), 1))
    if factor < 1:
        img = resize(img, scaled_size, interpolation)
    y_offset, x_offset = round((height - scaled_size[0]) / 2), round((width - scaled_size[1]) / 2)
    framed = canvas("resize_contain", img, (height, width), fill)
    framed[:, y_offset : y_offset + scaled_size[0], x_offset : x_offset + scaled_size[1]] = img
    if not return_param:
        return framed
    return framed, {"y_offset": y_offset, "x_offset": x_offset, "scaled_size": scaled_size}
